// Changes the sources in many places, and lists the changes that no test notices: node test/mutation/main.mjs PATH…
// A path is a file or a folder below src, such as client/session. Stryker, which it installs from npm into a temporary
// folder, makes the changes in a copy of the tree, so an interrupted run leaves nothing in the checkout.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { slowTests, testsOf } from './tests.mjs';
import { judged } from './verdict.mjs';

/** The last version that runs on Node 20. */
const strykerVersion = '9.6.1';

const root = resolve(import.meta.dirname, '../..');
const paths = process.argv.slice(2).map((path) => `src/${path.replace(/^src\//, '').replace(/\/$/, '')}`);
if (paths.length === 0) fail('Name files or folders of src, as in: npm run test:mutation -- client/session');

const work = mkdtempSync(join(tmpdir(), 'acp-mutation-'));
const tree = join(work, 'tree');
const tools = join(work, 'tools');
try {
  process.exitCode = run();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function run() {
  copyTree();
  installStryker();
  let status = 0;
  for (const path of paths) status = Math.max(status, testPath(path));
  return status;
}

/** Tests one path, and returns the exit code. */
function testPath(path) {
  const isFolder = statSync(join(root, path)).isDirectory();
  const entry = testsOf.find(({ sources }) => `${path}/`.startsWith(sources));
  if (!entry) fail(`test/mutation/tests.mjs does not say which tests ${path} has.`);
  const report = join(work, 'report.json');
  const config = {
    testRunner: 'vitest',
    plugins: [join(tools, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate: [isFolder ? `${path}/**/*.ts` : path],
    // Texts are for people; those that are not are checked by the compiler.
    mutator: { excludedMutations: ['StringLiteral'] },
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    // The tree is a copy already.
    inPlace: true,
    tempDirName: join(work, 'originals'),
  };
  writeFileSync(join(tree, 'stryker.config.json'), JSON.stringify(config));
  const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const env = {
    ...process.env,
    MUTATION_TESTS: JSON.stringify({ include: entry.tests, exclude: slowTests }),
  };
  const { status } = spawnSync(process.execPath, [stryker, 'run'], { cwd: tree, stdio: 'inherit', env });
  if (status !== 0) return status ?? 1;
  const explained = JSON.parse(readFileSync(join(import.meta.dirname, 'explained.json'), 'utf8'));
  const { lines, isGood } = judged(JSON.parse(readFileSync(report, 'utf8')), explained);
  console.log(lines.join('\n'));
  return isGood ? 0 : 1;
}

/** Copies what git knows and what is new. The modules are those of the checkout. */
function copyTree() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const file of listed.split('\0')) {
    if (!/^(src|test)\/|^[^/]+\.(json|ts)$/.test(file)) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction');
}

function installStryker() {
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${strykerVersion}`);
  mkdirSync(join(tools, 'node_modules'), { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  execFileSync(npm, ['install', ...options, '--prefix', tools, ...packages], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  // Stryker uses those of the checkout.
  for (const name of ['vitest', 'typescript']) {
    rmSync(join(tools, 'node_modules', name), { recursive: true, force: true });
    symlinkSync(join(root, 'node_modules', name), join(tools, 'node_modules', name), 'junction');
  }
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
