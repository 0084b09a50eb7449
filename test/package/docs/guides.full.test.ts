import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../entries.ts';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

const steps = await stepsOf('docs/traces.md');
let reader: Reader;

beforeAll(async () => {
  reader = await createReader();
}, 60_000);

afterAll(() => reader.remove());

test('the page has files', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual(['record.mjs', 'bug.test.mjs']);
});

test.skipIf(process.platform === 'win32')(
  'the steps of the page print what it shows, for traces',
  async () => {
    await reader.follow(steps);
    expect(await reader.shell('npx acp-client-sdk fold bug.ndjson')).toContain('npm test');
  },
  120_000,
);

/** It needs the network. The test links the packages, and has done what `npm install` of the page does. */
const installInCopy = 'npm install';
/** `npm run suite -- vscode` runs it, and installs the result in VS Code. */
const packaging = 'npx @vscode/vsce package';

/** Installs what the manifest names: the package as it is published, and the other packages of this repository. */
async function installDependencies(folder: string): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  for (const name of Object.keys(devDependencies)) {
    const own = join('node_modules', name);
    const link = join(folder, own);
    await mkdir(dirname(link), { recursive: true });
    // The package itself is a folder here, as npm makes it: it finds its peers beside it.
    if (name === 'acp-client-sdk') await cp(join(reader.folder, own), link, { recursive: true });
    else await symlink(join(root, own), link, 'dir');
  }
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink(join(root, 'node_modules/typescript/bin/tsc'), join(folder, 'node_modules/.bin/tsc'), 'file');
}

test.skipIf(process.platform === 'win32')(
  'the files and the commands of the page make two extensions of the package alone',
  async () => {
    const steps = await stepsOf('docs/vscode.md');
    const commands = steps.flatMap((step) => ('commands' in step ? step.commands : []));
    expect(commands).toEqual(expect.arrayContaining([installInCopy, 'npm run check', 'npm run build']));
    await symlink(join(root, 'node_modules/.bin/esbuild'), join(reader.folder, 'node_modules/.bin/esbuild'));
    let { folder } = reader;
    for (const step of steps) {
      if ('file' in step) {
        await reader.write({ [step.file]: step.content });
        continue;
      }
      for (const command of step.commands) {
        const [, directory] = /^cd (\S+)$/.exec(command) ?? [];
        if (directory !== undefined) folder = join(folder, directory);
        else if (command === installInCopy) await installDependencies(folder);
        else if (!command.startsWith('npm install ') && command !== packaging) {
          await promisify(execFile)('/bin/sh', ['-c', command], {
            cwd: folder,
            env: { ...process.env, npm_config_offline: 'true' },
          });
        }
      }
    }
    for (const file of ['extension.js', 'panel-element.js']) {
      expect((await readFile(join(reader.folder, 'dist', file), 'utf8')).length).toBeGreaterThan(10_000);
    }
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    for (const file of [manifest.main, 'dist/panel-element.js', 'LICENSE', '.vscodeignore']) {
      expect((await readFile(join(folder, file), 'utf8')).length).toBeGreaterThan(0);
    }
    for (const file of ['launch.json', 'tasks.json']) {
      JSON.parse(await readFile(join(folder, '.vscode', file), 'utf8'));
    }
  },
  300_000,
);

test('the packages that the example names have the versions of this repository', async () => {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const example = (await read('docs/examples/vscode/package.json')).devDependencies;
  const { version, dependencies, devDependencies } = await read('package.json');
  const ours = { ...dependencies, ...devDependencies, 'acp-client-sdk': `^${version}` };
  expect(example).toEqual(Object.fromEntries(Object.keys(example).map((name) => [name, ours[name]])));
});
