// Tests the schemas with the newest valibot that package.json allows: node test/newest-valibot.mjs [VERSION]
// A program that installs this package gets that version, and not the one in package-lock.json. It comes from npm, into a
// temporary folder.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startVitest } from 'vitest/node';

const root = resolve(import.meta.dirname, '..');
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const [wanted = dependencies.valibot] = process.argv.slice(2);

/** What the compiled checks do: what fits, what is dropped, and that both agree with a parse. */
const tests = [
  'test/unit/protocol/vocabulary.test.ts',
  'test/unit/protocol/dropped.test.ts',
  'test/oracle/readable.full.test.ts',
];

const folder = mkdtempSync(join(tmpdir(), 'acp-valibot-'));
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `valibot@${wanted}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const home = join(folder, 'node_modules/valibot');
  const { version, main } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  console.log(`valibot ${version}`);
  // The projects of vitest.config.ts do not take an alias from here.
  const options = { setupFiles: ['test/support/property-seed.ts'], testTimeout: 120_000 };
  await startVitest(
    'test',
    tests,
    { root, watch: false, config: false, ...options },
    { resolve: { alias: { valibot: join(home, main) } } },
  );
  if (process.exitCode) {
    console.error(
      `The schemas do not work as they should with valibot ${version}. src/core/protocol/compiled-check.ts and dropped.ts read ` +
        `fields of its schemas and actions. Run "npm install valibot@${version}" and "npm run check" to see ` +
        'which fields changed. Adapt src/core/protocol/schema-shape.ts, or end the range of valibot in package.json before this version.',
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
