import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './entries.ts';

/** Reports the types of one entry that the build declares otherwise than the source. */
function differences(version: 'v1' | 'v2'): readonly string[] {
  const source = `${root}/src/schema-${version}.ts`;
  const names = [...readFileSync(source, 'utf8').matchAll(/^ {2}(?:type )?(?:\w+ as )?(\w+),$/gm)].map(
    ([, name]) => name,
  );
  const isGeneric = (name: string | undefined) => name === 'Unrecognized';
  const plain = names.filter((name) => !isGeneric(name));
  if (plain.length < 100) throw new Error(`${source} exports only ${plain.length} names.`);
  const program = `
    import type * as source from './src/schema-${version}.ts';
    import type * as built from './dist/schema-${version}.js';
    type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the build is wider') : 'the source is wider';
    ${plain.map((name) => `export const ${name}: Record<'${name}', Equal<source.${name}, built.${name}>> = { ${name}: true };`).join('\n')}
  `;
  const path = `${root}/${version}.check.ts`;
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, program, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? program : readFile(name));
  const check = ts.createProgram([path], { ...options, noEmit: true }, host);
  return check.getSemanticDiagnostics(check.getSourceFile(path)).map(({ messageText, file, start = 0 }) => {
    const line = file?.text.slice(0, start).split('\n').length ?? 0;
    return `${program.split('\n')[line - 1]?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

test.each(['v1', 'v2'] as const)('the build declares each type of %s as the source does', (version) => {
  expect(differences(version)).toEqual([]);
});
