// Puts the built site into a folder that has one folder for each version, and gives each version the list of all:
// node .site/publish.mjs FOLDER VERSION BASE
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', version = '', base = ''] = process.argv.slice(2);
const target = join(folder, version);
rmSync(target, { recursive: true, force: true });
cpSync(join(import.meta.dirname, 'dist'), target, { recursive: true });

/** The newest release first, and what is not released last. */
const newestFirst = (a, b) =>
  Number(a === 'next') - Number(b === 'next') || b.localeCompare(a, 'en', { numeric: true });
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^(?:next|v\d.*)$/.test(entry.name))
  .map(({ name }) => name)
  .sort(newestFirst);
const versions = names.map((name) => ({ version: name, link: `${base}${name}/` }));
for (const name of names) writeFileSync(join(folder, name, 'versions.json'), JSON.stringify(versions));

const newest = names.find((name) => name !== 'next') ?? 'next';
writeFileSync(
  join(folder, 'index.html'),
  `<!doctype html><title>acp-client-sdk</title><meta http-equiv="refresh" content="0; url=${base}${newest}/">\n`,
);
