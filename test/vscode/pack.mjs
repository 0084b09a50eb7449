import { cp, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from './install.mjs';
import { run } from './run.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the library, as it is published. Resolves to the path of the tarball. */
export async function packLibrary(folder, signal) {
  await mkdir(folder, { recursive: true });
  // The command that runs these tests has built it.
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(await run('npm', args, { cwd: root, signal }));
  return join(folder, filename);
}

/**
 * Packs an extension as its author does: in a folder of its own, with the library from a tarball, and with its own build.
 * A warning of vsce is an error. Resolves to the path of the VSIX.
 *
 * @param options.flags - Of vsce, for an extension that is not an example.
 */
export async function packExtension({ source, tarball, folder, flags = [], signal }) {
  const copy = join(folder, basename(source));
  const generated = new Set(['node_modules', 'dist'].map((name) => resolve(source, name)));
  await cp(source, copy, { recursive: true, filter: (path) => !generated.has(resolve(path)) });
  await run('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: copy, signal });
  await run('npm', ['run', 'build'], { cwd: copy, signal });
  const file = `${copy}.vsix`;
  const command = [programs.vsce, 'package', ...flags, '-o', file];
  const printed = await run(programs.node, command, { cwd: copy, signal });
  const warnings = printed.split('\n').filter((line) => /\bwarning\b/i.test(line));
  if (warnings.length > 0) throw new Error(`vsce package printed warnings:\n${printed}`);
  return file;
}
