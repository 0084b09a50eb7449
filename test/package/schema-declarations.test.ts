import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileFiles } from './compiler.ts';
import { root } from './entries.ts';

/** A program that compiles if the build declares the types of an entry as the source does. */
async function comparison(version: 'v1' | 'v2'): Promise<string> {
  const source = await readFile(`${root}/src/schema-${version}.ts`, 'utf8');
  const names = [...source.matchAll(/^ {2}(?:type )?(?:\w+ as )?(\w+),$/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(100);
  const isGeneric = (name: string | undefined) => name === 'Unrecognized';
  const lines = names
    .filter((name) => !isGeneric(name))
    .map((name) => `export const ${name}: Equal<source.${name}, built.${name}> = true;`);
  return `
    import type * as source from '${root}/src/schema-${version}.ts';
    import type * as built from '${root}/dist/schema-${version}.js';
    type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the build is wider') : 'the source is wider';
    ${lines.join('\n')}
  `;
}

test('the build declares each type of the schemas as the source does', async () => {
  const files = { 'v1.mts': await comparison('v1'), 'v2.mts': await comparison('v2') };
  await compileFiles(files, { types: [] });
});
