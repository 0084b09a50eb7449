import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileProject } from './compiler.ts';
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
  const folder = await mkdtemp(join(tmpdir(), 'acp-schemas-'));
  try {
    const files = { 'v1.mts': await comparison('v1'), 'v2.mts': await comparison('v2') };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const compilerOptions = { types: [] };
    const tsconfig = {
      extends: `${root}/tsconfig.json`,
      compilerOptions,
      files: Object.keys(files),
      include: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    await compileProject(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
});
