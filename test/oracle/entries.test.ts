import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { officialDefs } from '../support/official-schema.ts';
import { versions } from './ours.ts';

const source = resolve(import.meta.dirname, '../../src');
const update = 'UPDATE_SCHEMAS=1 npx vitest run test/oracle/entries.test.ts';

/** Our names of definitions whose official names mean something else in TypeScript. */
const renamed: Readonly<Record<string, string>> = { ErrorObject: 'Error' };

/** The order in which the formatter sorts names: without regard to case, digits by their value. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** The files that declare what a version has: its pages, and what both versions have. */
function pagesOf(version: 1 | 2): readonly string[] {
  const files = (folder: string) =>
    readdirSync(`${source}/${folder}`).map((name) => `${folder}/${name.replace(/\.ts$/, '')}`);
  const shared = files('core/protocol').filter((name) => name.startsWith('core/protocol/unstable'));
  return [...shared, ...files(`core/protocol/v${version}`)].sort(compare);
}

/** The names that a file exports, and that the official schema of a version defines. */
function definitionsIn(file: string, version: 1 | 2): readonly string[] {
  const defs = officialDefs(version);
  return [...readFileSync(`${source}/${file}.ts`, 'utf8').matchAll(/^export const ([A-Z]\w*)/gm)]
    .map(([, name = '']) => ({ name, official: renamed[name] ?? name }))
    .filter(({ official }) => Object.hasOwn(defs, official))
    .map(({ name, official }) => (name === official ? name : `${name} as ${official}`))
    .sort(compare);
}

/** The longest line of the formatter. */
const lineWidth = 110;

/** As the formatter accepts it, in one line where that has room. */
function exportOf(names: readonly string[], file: string): string {
  const line = `export { ${names.join(', ')} } from '../${file}.ts';`;
  if (line.length <= lineWidth) return `${line}\n`;
  return `export {\n${names.map((name) => `  ${name},\n`).join('')}} from '../${file}.ts';\n`;
}

test.each(versions)('the entry of version %i exports each definition of the pages', (version) => {
  const path = `${source}/entries/schema-v${version}.ts`;
  const before = readFileSync(path, 'utf8');
  const lists = pagesOf(version)
    .map((file) => ({ file, names: definitionsIn(file, version) }))
    .filter(({ names }) => names.length > 0)
    .map(({ file, names }) => exportOf(names, file));
  const comment = before.slice(0, before.indexOf('export '));
  const wanted = `${comment}${lists.join('')}export type { Unrecognized } from '../core/protocol/vocabulary.ts';\n`;
  if (process.env['UPDATE_SCHEMAS']) writeFileSync(path, wanted);
  else expect(before, `src/entries/schema-v${version}.ts is up to date: ${update}`).toBe(wanted);
});
