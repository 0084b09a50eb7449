import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder = '';
const program = () => join(folder, 'editor.mjs');

/** An editor that has made the folder of a server over stdio, and says where it is. */
const editor = `
import { privateFolder } from './src/tools/private-folder.ts';
const { path } = await privateFolder(async () => {});
console.log(path);
process.stdin.resume().on('end', () => process.exit());
`;

// Windows has no such signals.
describe.skipIf(process.platform === 'win32')('the folder of the tools over stdio', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acp-ended-editor-'));
    await build({
      stdin: { contents: editor, resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outfile: program(),
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'error',
    });
    return () => rm(folder, { recursive: true, force: true });
  });

  async function started() {
    const child = spawn(process.execPath, [program()], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const path = String(line).trim();
    expect(existsSync(path)).toBe(true);
    return { child, path };
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'is gone when %s has ended the editor',
    async (signal) => {
      const { child, path } = await started();
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([null, signal]);
      expect(existsSync(path)).toBe(false);
    },
  );

  test('is gone when the editor has exited', async () => {
    const { child, path } = await started();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(existsSync(path)).toBe(false);
  });
});
