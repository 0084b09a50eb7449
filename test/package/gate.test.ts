import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { root } from './docs/pages.ts';

const starts = `const { execFile } = await import('node:child_process');
const run = () => new Promise((end) => execFile(process.execPath, ['-e', ''], end));`;
const fails = (name: string) =>
  `fs.appendFileSync('runs.txt', '${name}\\n'); expect('${name}').toBe('right');`;
const failsOnce = (name: string) =>
  `if (!fs.existsSync('${name}.txt')) { fs.writeFileSync('${name}.txt', ''); ${fails(name)} }`;

/** Runs the gate with one test file, and returns what came of it. */
function runGate(body: string) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  const setup = join(root, 'test/support/started-programs.ts');
  const config = {
    root: folder,
    test: { name: 'tried', globals: true, setupFiles: [setup], isolate: false },
  };
  writeFileSync(path('vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  writeFileSync(path('tried.test.mjs'), `import fs from 'node:fs';\n${body}\n`);
  const args = ['tried', '--config', path('vitest.config.mjs'), '--flaky', path('flaky.json')];
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'test/gate/main.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  const read = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '');
  return { status, stdout, runs: read('runs.txt').split('\n').filter(Boolean), flaky: read('flaky.json') };
}

test('a test that starts a program and fails by chance is reported, and the gate goes on', () => {
  const { status, stdout, runs, flaky } = runGate(`${starts}
    test('holds', async () => { await run(); });
    test('by chance', async () => { await run(); ${failsOnce('chance')} });`);
  expect({ status, runs }).toEqual({ status: 0, runs: ['chance'] });
  expect(stdout).toContain('flaky: tried.test.mjs > by chance\n  beside other tests: expected');
  expect(stdout).toMatch(/^2 passed, 0 failed, 0 skipped$/m);
  expect(JSON.parse(flaky)).toMatchObject([{ name: 'tried.test.mjs > by chance' }]);
});

test('a hook that starts a program and fails by chance is reported too', () => {
  const { status, flaky } = runGate(`${starts}
    beforeAll(async () => { await run(); ${failsOnce('hook')} });
    test('holds', () => { expect(1).toBe(1); });`);
  expect(status).toBe(0);
  expect(JSON.parse(flaky)).toMatchObject([{ name: 'tried.test.mjs' }]);
});

test('a test that starts a program and fails twice fails the gate', () => {
  const { status, stdout, runs, flaky } = runGate(`${starts}
    test('broken', async () => { await run(); ${fails('broken')} });`);
  expect({ status, runs, flaky }).toEqual({ status: 1, runs: ['broken', 'broken'], flaky: '' });
  expect(stdout).toMatch(/^0 passed, 1 failed, 0 skipped$/m);
});

test('a test in memory never runs twice, also before one that starts a program', () => {
  const { status, runs, flaky } = runGate(`${starts}
    test('in memory', () => { ${failsOnce('memory')} });
    test('starts a program', async () => { await run(); });`);
  expect({ status, runs, flaky }).toEqual({ status: 1, runs: ['memory'], flaky: '' });
});

test('a run without a test fails the gate', () => {
  expect(runGate("test.skip('nothing', () => {});").status).toBe(1);
});
