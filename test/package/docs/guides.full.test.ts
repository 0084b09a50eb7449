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

/** Commands that need the network. The test has done what the first one does, and links the packages of the second. */
const install = 'npm install acp-client-sdk';
const installInCopy = 'npm install';
/** `npm run suite -- vscode` runs it, and installs the result in VS Code. */
const packaging = 'npx @vscode/vsce package';

/** Installs what the manifest names: the package as it is published, and the other packages of this repository. */
async function installDependencies(folder: string): Promise<void> {
  // The package resolves its peer dependency from where it is, which is not the copy.
  await reader.install('markdown-it');
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
  'the commands of the page make an extension of the package alone',
  async () => {
    const commands = (await stepsOf('docs/vscode.md')).flatMap((step) =>
      'commands' in step ? step.commands : [],
    );
    expect(commands[0]).toBe(install);
    expect(commands).toEqual(expect.arrayContaining([installInCopy, 'npm run check', 'npm run build']));
    let { folder } = reader;
    for (const command of commands) {
      const [, directory] = /^cd (\S+)$/.exec(command) ?? [];
      if (directory !== undefined) folder = join(folder, directory);
      else if (command === installInCopy) await installDependencies(folder);
      else if (command !== install && command !== packaging) {
        await promisify(execFile)('/bin/sh', ['-c', command], {
          cwd: folder,
          env: { ...process.env, npm_config_offline: 'true' },
        });
      }
    }
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    for (const file of [manifest.main, 'dist/webview.js', 'dist/webview.css', 'LICENSE', '.vscodeignore']) {
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
