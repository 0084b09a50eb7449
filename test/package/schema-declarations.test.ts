import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileFiles } from './compiler.ts';
import { root } from './entries.ts';

/** A program that compiles if the build declares the types of an entry as the source does. */
async function comparison(version: 'v1' | 'v2'): Promise<string> {
  const source = await readFile(`${root}/src/entries/schema-${version}.ts`, 'utf8');
  const names = [...source.matchAll(/^ {2}(?:type )?(?:\w+ as )?(\w+),$/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(100);
  const isGeneric = (name: string | undefined) => name === 'Unrecognized';
  const lines = names
    .filter((name) => !isGeneric(name))
    .map((name) => `export const ${name}: Equal<source.${name}, built.${name}> = true;`);
  return `
    import type * as source from '${root}/src/entries/schema-${version}.ts';
    import type * as built from '${root}/dist/schema-${version}.js';
    type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the build is wider') : 'the source is wider';
    ${lines.join('\n')}
  `;
}

test('the build declares each type of the schemas as the source does', async () => {
  const files = { 'v1.mts': await comparison('v1'), 'v2.mts': await comparison('v2') };
  await compileFiles(files, { types: [] });
});

/** A line for each type that a file declares: its name, and a hash of its declaration without comments. */
async function hashesOf(file: string): Promise<readonly string[]> {
  const declarations = await readFile(`${root}/dist/${file}.d.ts`, 'utf8');
  const [, ...statements] = declarations
    .replace(/\/\*\*[\s\S]*?\*\/\n?/g, '')
    .split(/^(?:export )?type (?=\w+\b.* = )/m);
  return statements
    .map((statement) => {
      const name = /^\w+/.exec(statement)?.[0];
      // What follows the type begins the statement of the next schema.
      const type = statement.split(/^(?:export )?declare const /m)[0]?.trimEnd() ?? '';
      return `${file} ${name} ${createHash('sha256').update(type).digest('hex').slice(0, 8)}`;
    })
    .sort();
}

test('the types of the schemas are those that are recorded', async () => {
  const files = ['schema-shared', 'schema-v1', 'schema-v2'];
  const hashes = (await Promise.all(files.map(hashesOf))).flat();
  expect(hashes.length).toBeGreaterThan(300);
  await expect(`${hashes.join('\n')}\n`).toMatchFileSnapshot('schema-types.txt');
});
