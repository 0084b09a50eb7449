// Runs a suite that is not part of `npm test`: npm run suite -- NAME [ARGUMENT…]. Without a name it lists the suites.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const vitest = ['node_modules/vitest/vitest.mjs', 'run'];

/**
 * What each suite runs: `node` with these arguments and those of the call, after the scripts of package.json that it needs.
 * `does` is also a row of the table in docs/contributing.md: UPDATE_DOCS=1 npx vitest run test/package/docs
 */
export const suites = {
  package: {
    does: 'the published package: its files, types, budgets and documents, and unused code',
    needs: ['build'],
    node: [...vitest, '--project', 'package'],
  },
  long: {
    does: 'the long tests, which the gate runs too',
    needs: ['build'],
    node: [...vitest, '--project', 'long*'],
  },
  full: {
    does: 'all cases of what the gate takes a sample of; the command line in terminals of each width; the examples step by step',
    needs: ['build'],
    node: [...vitest, '--project', 'full'],
  },
  browser: {
    does: 'the bundles and the examples in a browser',
    needs: ['build'],
    node: [...vitest, '--project', 'all of browser'],
  },
  docs: {
    does: 'the site of the documentation in a browser: links, search, samples, pictures, accessibility',
    needs: ['build', 'docs'],
    node: [...vitest, '--project', 'site'],
  },
  vscode: {
    does: 'the panel of docs/examples/vscode in VS Code, which it installs; arguments name scenes',
    needs: ['build'],
    node: ['test/vscode/main.mjs'],
  },
  agents: {
    does: 'real agents, which it installs, with a scripted model; arguments name agents or one part: --doctor, --tools, --remote; --latest takes the newest versions',
    needs: ['build'],
    node: ['test/agents/main.mjs'],
  },
  transports: {
    does: 'the tests of the specification over stdio, WebSocket and streamable HTTP, and behind proxies; run it after you change src/core/transport',
    needs: ['build'],
    node: [...vitest, '--project', 'transports*'],
  },
  faults: {
    does: 'one fault at each message of a session; disks that fail; run it after you change src/core/transport or src/records/transcripts',
    needs: ['build'],
    node: [...vitest, '--project', 'faults'],
  },
  growth: {
    does: 'twice as much of each shape of traffic through everything that is published',
    needs: [],
    node: [...vitest, '--project', 'growth'],
  },
  fuzz: {
    does: 'a million damaged lines of traffic, giant lines, storms of requests, thousands of runs of laws',
    needs: [],
    node: [...vitest, '--project', 'fuzz'],
  },
  soak: {
    does: 'high load for minutes: fails if memory, order or time are not as promised',
    needs: ['build'],
    node: ['test/bench/soak.mjs'],
  },
  mutation: {
    does: 'lists the changes of a directory or file of src that no test notices, such as client/session',
    needs: [],
    node: ['test/mutation/main.mjs'],
  },
  compatibility: {
    does: 'records the programs and data of the version in package.json in test/compatibility, for a release',
    needs: ['build'],
    node: [...vitest, '--project', 'compatibility'],
  },
  consumers: {
    does: 'a program bundled with esbuild, rollup, webpack, vite, Bun and Deno, which it installs from npm',
    needs: ['build'],
    node: ['test/consumers/main.mjs'],
  },
  chats: {
    does: 'the pages of docs/examples/bridges in a browser, with the newest chat interfaces; all recorded turns for them',
    needs: ['build'],
    node: [...vitest, '--project', 'chats'],
  },
  valibot: {
    does: 'the schemas with the newest valibot that package.json allows',
    needs: [],
    node: ['test/newest-valibot.mjs'],
  },
  schema: {
    does: 'lists what is new in the schemas of the newest official SDK; arguments name a version and the one to compare with',
    needs: [],
    node: ['test/schema/main.mjs'],
  },
  'node-versions': {
    does: 'the tests of npm test on Node 20, 22, 24 and 26; Linux on x64 only',
    needs: ['build'],
    node: ['test/node-versions.mjs'],
  },
  windows: {
    does: 'the tests of files and processes under Wine, with the Windows build of Node',
    needs: [],
    node: ['test/windows/run.mjs'],
  },
  coverage: {
    does: 'the tests of npm test and the long ones; writes which lines of src they run to coverage/',
    needs: ['build'],
    node: [
      ...vitest,
      '--coverage',
      '--project',
      'library',
      '--project',
      'package',
      '--project',
      'long*',
      '--project',
      'full',
    ],
  },
};

/** Runs a program of this tree with the terminal of the caller, and returns its exit code. */
function run(program, args) {
  // `npm` is a batch file on Windows.
  const shell = process.platform === 'win32' && program === 'npm';
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', shell });
  if (error) process.stderr.write(`${program} could not be started: ${error.message}\n`);
  return status ?? 1;
}

function runSuite({ needs, node }, args) {
  for (const script of needs) {
    const status = run('npm', ['run', script, '--silent']);
    if (status !== 0) return status;
  }
  return run(process.execPath, [...node, ...args]);
}

function list() {
  const width = Math.max(...Object.keys(suites).map((name) => name.length));
  return Object.entries(suites)
    .map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}\n`)
    .join('');
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const [name, ...args] = process.argv.slice(2);
  const usage = `npm run suite -- NAME [ARGUMENT…]\n${list()}`;
  if (name === undefined) process.stdout.write(usage);
  else if (Object.hasOwn(suites, name)) process.exitCode = runSuite(suites[name], args);
  else {
    process.stderr.write(`There is no suite ${JSON.stringify(name)}.\n${usage}`);
    process.exitCode = 2;
  }
}
