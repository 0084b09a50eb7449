import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { removeAbandonedFolders } from '../../../src/tools/private-folder.ts';
import { bundleProgram } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';

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

    async function started(place = tmpdir()) {
      const child = spawn(process.execPath, [program()], {
        env: { ...process.env, TMPDIR: place },
      });
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

    test('is removed by the next start when the editor was killed, and that of a living editor stays', async () => {
      const place = await mkdtemp(join(tmpdir(), 'acp-killed-editor-'));
      onTestFinished(() => rm(place, { recursive: true, force: true }));
      const editors = await Promise.all([started(place), started(place), started(place)]);
      const [killed, young, living] = editors;
      for (const { child } of [killed, young]) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      const minuteAgo = new Date(Date.now() - 60_000);
      // What no editor has made stays too.
      const others = ['acp-tools-other', 'acp-toolsmith', 'acp-tools-linked'].map((name) =>
        join(place, name),
      );
      const [other = '', smith = '', linked = ''] = others;
      await mkdir(other);
      await mkdir(smith);
      await symlink(killed.path, linked);
      for (const path of [killed.path, living.path, other, smith]) await utimes(path, minuteAgo, minuteAgo);
      const next = await started(place);
      await eventually(() => existsSync(killed.path)).toBe(false);
      // Looks at each of them once more.
      await removeAbandonedFolders(place);
      expect([young.path, living.path, other, smith, next.path].filter((path) => !existsSync(path))).toEqual(
        [],
      );
      expect((await readdir(place)).includes('acp-tools-linked')).toBe(true);
    });
  },
);
