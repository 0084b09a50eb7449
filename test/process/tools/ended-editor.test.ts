import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleProgram } from '../../support/build.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder = '';
const program = () => join(folder, 'editor.mjs');

/** An editor that has made the folder of a server over stdio, and says where it is. */
const editor = `
import { createServer } from 'node:net';
import { privateFolder } from './src/tools/private-folder.ts';
const { path } = await privateFolder(
  ({ socketPath }) => new Promise((resolve) => createServer().listen(socketPath, resolve)),
);
console.log(path);
process.stdin.resume().on('end', () => process.exit());
`;

// Windows has no such signals.
describe.skipIf(process.platform === 'win32')(
  '[security: tools-leftovers] the folder of the tools over stdio',
  () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'acp-ended-editor-'));
      await bundleProgram({
        stdin: { contents: editor, resolveDir: root, loader: 'ts' },
        outfile: program(),
      });
      return () => rm(folder, { recursive: true, force: true });
    });

    async function started() {
      const child = spawn(process.execPath, [program()]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const [line] = await once(child.stdout, 'data');
      const path = String(line).trim();
      expect(existsSync(path)).toBe(true);
      return { child, path };
    }

    test('is gone when a signal has ended the editor, and when it has exited', async () => {
      const endings = [...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const), 'the end of its input'] as const;
      const ends = endings.map(async (end) => {
        const { child, path } = await started();
        const exited = once(child, 'exit');
        if (end === 'the end of its input') child.stdin.end();
        else child.kill(end);
        return [end, ...(await exited), existsSync(path)];
      });
      expect(await Promise.all(ends)).toEqual([
        ['SIGINT', null, 'SIGINT', false],
        ['SIGTERM', null, 'SIGTERM', false],
        ['SIGHUP', null, 'SIGHUP', false],
        ['the end of its input', 0, null, false],
      ]);
    });

    test('that something else has removed is no reason to fail when the editor exits', async () => {
      const { child, path } = await started();
      let errors = '';
      child.stderr.on('data', (text) => {
        errors += String(text);
      });
      await rm(path, { recursive: true });
      child.stdin.end();
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(errors).toBe('');
    });
  },
);
