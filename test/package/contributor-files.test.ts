import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { testsOf } from '../mutation/tests.mjs';
import { suites } from '../suites.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { root } from './entries.ts';
import { folderOf, files as sourceFiles } from './imports.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const vitest = 'node_modules/vitest/vitest.mjs';

test('the workflow tests each supported Node on each system', () => {
  const workflow = read('.github/workflows/test.yml');
  expect(workflow).toContain('os: [ubuntu-latest, macos-latest, windows-latest]');
  const versions = /node: \[([\d, ]+)\]/.exec(workflow)?.[1]?.split(', ').map(Number);
  expect(versions).toEqual([20, 22, 24]);
  expect(manifest.engines.node).toBe(`>=${versions?.[0]}`);
  expect(Number(read('.nvmrc'))).toBe(versions?.[0]);
  const scripts = [...workflow.matchAll(/run: npm (?:run suite -- )?(\S+)/g)].map(([, name]) => name);
  expect(scripts).toEqual(['ci', 'test', 'ci', 'browser', 'ci', 'vscode']);
});

test('the gate and the workflow run the package and the long tests after npm test, which does not', () => {
  expect(manifest.scripts.test).toMatch(/ && node test\/gate\/main\.mjs library$/);
  expect(manifest.scripts['test:long']).toBe('npm run suite -- long');
  expect(suites.long).toMatchObject({ needs: ['build'], node: [vitest, 'run', '--project', 'long*'] });
  for (const path of ['.ci/run', '.github/workflows/test.yml'])
    expect(read(path), path).toMatch(/npm test\n.*\n.*node test\/gate\/main\.mjs package 'long\*'/);
});

test('the workflow keeps the editor where the tests in VS Code install it, with the Node that it needs', () => {
  const workflow = read('.github/workflows/test.yml');
  const install = read('test/vscode/install.mjs');
  const [, folder] = /homedir\(\), '\.cache'\), '([\w-]+)'/.exec(install) ?? [];
  expect(folder).toBeDefined();
  expect(workflow).toContain(`path: ~/.cache/${folder}\n`);
  expect(workflow).toContain(`path: ~/.cache/${folder}/screenshots\n`);
  const [, major] = /nodeMajor = (\d+)/.exec(install) ?? [];
  expect(workflow).toContain(`node-version: ${major}\n`);
});

test('the workflow for dependencies tests what users install', () => {
  const workflow = read('.github/workflows/dependencies.yml');
  const scripts = [...workflow.matchAll(/run: npm run suite -- (\S+)/g)].map(([, name]) => name);
  expect(scripts).toEqual(['valibot', 'consumers', 'chats', 'schema']);
  expect(workflow).toContain(`node-version: ${read('.nvmrc').trim()}\n`);
});

test('the workflow for a release tests, checks and lists what it publishes, and only a tag is published', () => {
  const workflow = read('.github/workflows/release.yml');
  const commands = [...workflow.matchAll(/- run: (npm (?:run )?\S+)/g)].map(([, command]) => command);
  expect(commands).toEqual([
    'npm ci',
    'npm test',
    'npm run suite',
    'npm run release',
    'npm sbom',
    'npm publish',
  ]);
  // `&&` and `||` of an expression do what those of JavaScript do.
  const variables = [...workflow.matchAll(/^ {6}(\w+): \$\{\{ (.+) \}\}$/gm)];
  const valuesOf = (event_name: string) =>
    Object.fromEntries(
      variables.map(([, name, expression = '']) => [
        name,
        runInNewContext(expression, { github: { event_name } }),
      ]),
    );
  expect(valuesOf('push')).toEqual({ DRY_RUN: '', TAGGED: '--tagged' });
  expect(valuesOf('workflow_dispatch')).toEqual({ DRY_RUN: '--dry-run', TAGGED: '' });
  expect(workflow).toContain("push:\n    tags: ['v*']\n");
  expect(workflow).toContain('npm run release -- $TAGGED\n');
  expect(workflow).toContain('npm publish --provenance --access public $DRY_RUN\n');
});

const githubFiles = readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:md|yml)$/.test(name),
);

test.each(githubFiles)('what .github/%s refers to exists', (file) => {
  const text = read(`.github/${file}`);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) =>
    join('.github', link),
  );
  const mentioned = [...text.matchAll(/(?<![/\w])(docs\/[\w-]+\.md)/g)].map(([, path = '']) => path);
  expect([...links, ...mentioned].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** The files that name commands of this repository. The examples have commands of their own. */
const naming = [
  ...['README.md', '.ci/run', '.build/release.mjs', 'test/suites.mjs'],
  ...readdirSync(join(root, 'docs'), { encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') && name !== 'vscode.md' ? [`docs/${name}`] : [],
  ),
  ...githubFiles.map((name) => join('.github', name)),
];

test('each script and each suite that a document or a workflow names exists', () => {
  const commands = naming.flatMap((path) =>
    [...read(path).matchAll(/\bnpm run ([\w:-]+)(?: -- ([\w-]+))?/g)].map(([, script = '', first]) => ({
      path,
      script,
      suite: script === 'suite' ? first : undefined,
    })),
  );
  expect(commands.filter(({ script }) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
  expect(
    commands.filter(({ suite }) => suite !== undefined && suite !== 'NAME' && !Object.hasOwn(suites, suite)),
  ).toEqual([]);
  const named = new Set(commands.map(({ suite }) => suite));
  expect(named.size).toBeGreaterThan(10);
});

test('without a name, and with a wrong one, the program for suites lists them', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['test/suites.mjs', ...args], { cwd: root, encoding: 'utf8' });
  const listed = run();
  expect(listed.status).toBe(0);
  for (const name of Object.keys(suites)) expect(listed.stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  const wrong = run('long-ago');
  expect(wrong).toMatchObject({ status: 2, stdout: '' });
  expect(wrong.stderr).toBe(`There is no suite "long-ago".\n${listed.stdout}`);
});

// What only names and passes on has nothing to change.
const rooms = new Set(sourceFiles.map(folderOf).filter((room) => room !== 'entries'));

test('the mutation script has tests for each room', () => {
  const sources = testsOf.map((entry) => entry.sources);
  const found = [...rooms].map((room) => sources.find((source) => `src/${room}/`.startsWith(source)));
  expect(found).toEqual([...rooms].map((room) => `src/${room}/`));
});

test('each explained change of the mutation script is in a line that is there', () => {
  const text = readFileSync(join(root, 'test/mutation/explained.json'), 'utf8');
  const explained: { readonly file: string; readonly line: string }[] = JSON.parse(text);
  const isThere = ({ file, line }: (typeof explained)[number]) =>
    existsSync(join(root, file)) &&
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .some((one) => one.trim() === line);
  expect(explained.filter((change) => !isThere(change))).toEqual([]);
});

test('the tests that the mutation script runs are there', () => {
  const patterns = new Set(testsOf.flatMap(({ tests }) => tests));
  const pathspecs = [...patterns].map((pattern) => `:(glob)${pattern}`);
  // Git fails, and names the patterns that no file matches.
  execFileSync('git', ['ls-files', '--error-unmatch', '--', ...pathspecs], { cwd: root });
});

/** From this commit on, a subject begins as docs/contributing.md says. */
const firstCommit = '509f9d5';

/** The directories below a directory: their paths, and their names alone. */
function directoriesOf(parent: string): readonly string[] {
  const found = readdirSync(join(root, parent), { recursive: true, withFileTypes: true });
  return found.flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const path = relative(join(root, parent), join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    return [path, entry.name];
  });
}

test('the subject of a commit begins with the name of a directory', ({ skip }) => {
  const log = spawnSync('git', ['log', '--no-merges', '--format=%s', `${firstCommit}..`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (log.status !== 0) skip(`This clone does not have the history since ${firstCommit}.`);
  const testDirectories = directoriesOf('test');
  const names = new Set([
    ...['docs', 'package', 'tests', 'src', 'test', ...directoriesOf('src'), ...testDirectories],
    // As in `law tests`, for test/laws.
    ...testDirectories.map((name) => `${name.replace(/s$/, '')} tests`),
  ]);
  const subjects = log.stdout.split('\n').filter(Boolean);
  const isNamed = (subject: string) => {
    const [, start = ''] = /^([^:]+): \S/.exec(subject) ?? [];
    return start.split(', ').every((name) => names.has(name));
  };
  expect(subjects.filter((subject) => !isNamed(subject))).toEqual([]);
});

const starts = `const { execFile } = await import('node:child_process');
const run = () => new Promise((end) => execFile(process.execPath, ['-e', ''], end));`;
const fails = (name: string) =>
  `fs.appendFileSync('runs.txt', '${name}\\n'); expect('${name}').toBe('right');`;
const failsOnce = (name: string) =>
  `if (!fs.existsSync('${name}.txt')) { fs.writeFileSync('${name}.txt', ''); ${fails(name)} }`;

/** Runs the gate with some test files, and returns what came of it. */
function runGate(...bodies: readonly string[]) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  const setup = join(root, 'test/support/started-programs.ts');
  const config = {
    root: folder,
    test: { name: 'tried', globals: true, setupFiles: [setup], isolate: false },
  };
  writeFileSync(path('vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  for (const [index, body] of bodies.entries())
    writeFileSync(path(`${'tried'.repeat(index + 1)}.test.mjs`), `import fs from 'node:fs';\n${body}\n`);
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

test('each of several files that fail by chance is reported, beside one that fails twice', () => {
  const { status, stdout, flaky } = runGate(
    ...['one', 'other'].map(
      (name) => `${starts} test('${name}', async () => { await run(); ${failsOnce(name)} });`,
    ),
    `${starts} test('broken', async () => { await run(); ${fails('broken')} });`,
  );
  expect(status).toBe(1);
  expect(stdout).toMatch(/^2 passed, 1 failed, 0 skipped$/m);
  const names = (JSON.parse(flaky) as { name: string }[]).map(({ name }) => name).sort();
  expect(names).toEqual(['tried.test.mjs > one', 'triedtried.test.mjs > other']);
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
