// Compares the newest published schemas of the protocol with those that this package was checked against:
// npm run suite -- schema [VERSION [BASE]]
// The schemas are those of the official SDK, which comes from npm into a temporary folder. Without VERSION, it is the newest.
// Without BASE, it is the one in node_modules, which the tests hold equal to src/core/protocol. Exits with 1 if anything differs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compareSchemas, listOf, placesIn, readSchemas } from './compare.mjs';
import { unnamedRows } from './parts.mjs';

const root = resolve(import.meta.dirname, '../..');
const sdk = '@agentclientprotocol/sdk';
const [wanted = 'latest', base] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'acp-schema-'));
try {
  const after = install(wanted);
  const before = base === undefined ? installed(join(root, 'node_modules', sdk)) : install(base);
  const rows = compareSchemas(before.schemas, after.schemas, placesIn(root));
  process.stdout.write(
    `${sdk} ${before.version} → ${after.version}: ${rows.length} differences\n${listOf(rows)}`,
  );
  const unnamed = unnamedRows(rows);
  if (unnamed.length > 0)
    process.stdout.write(
      `\nNo row of test/schema/parts.mjs names these ${unnamed.length}. Add a row, then UPDATE_DOCS=1 writes the table of docs/versions.md:\n${listOf(unnamed)}`,
    );
  if (rows.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function installed(home) {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return { version, schemas: readSchemas(home) };
}

function install(version) {
  const cwd = join(folder, version.replaceAll(/[^\w.-]/g, '-'));
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', `${sdk}@${version}`],
    {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  return installed(join(cwd, 'node_modules', sdk));
}
