import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the packed package; `null` where the package is not built. */
    tarball: string | null;
  }
}

/** Packs the package once for all tests of this folder. The tests of the documents need no build. */
export default async function pack(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(root, 'dist/index.js'))) {
    project.provide('tarball', null);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), 'acp-pack-'));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root });
  project.provide('tarball', join(folder, JSON.parse(stdout)[0].filename));
  return () => rm(folder, { recursive: true, force: true });
}
