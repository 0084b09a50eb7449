import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { type Block, programs } from './blocks.ts';
import { compile } from './compile.ts';
import { callables, examples, programOf } from './examples.ts';
import { comment, entries, exportsOf, isInternal } from './public-names.ts';

describe.each(entries)('%s', (entry) => {
  test('every public name has a comment', () => {
    const names = exportsOf(entry);
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((symbol) => comment(symbol) === '').map(({ name }) => name)).toEqual([]);
  });

  test('every method and accessor has a comment', () => {
    // VS Code documents its own objects.
    const documented = exportsOf(entry).filter(({ name }) => !name.startsWith('VsCode'));
    const all = documented.flatMap(callables);
    const silent = all.filter(([, symbol]) => !isInternal(symbol) && comment(symbol) === '');
    expect(documented.length).toBeGreaterThan(4);
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('a function with several parameters has an example', () => {
    const functions = exportsOf(entry).filter(({ flags }) => flags & ts.SymbolFlags.Function);
    const bare = functions.filter((symbol) => {
      const tags = symbol.getJsDocTags().map(({ name }) => name);
      const declaration = symbol.valueDeclaration;
      const takesMuch =
        declaration !== undefined &&
        ts.isFunctionDeclaration(declaration) &&
        declaration.parameters.length > 1;
      return takesMuch && !tags.includes('example');
    });
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});

test('every example in a comment compiles', () => {
  const all = examples();
  expect(all.length).toBeGreaterThan(20);
  expect(compile(new Map(all.map((example) => [example.file, programOf(example)])))).toEqual([]);
});

test('every TypeScript block of the documents compiles against the sources', () => {
  const files = new Map<string, Block>(
    programs.map((block, n) => [`docs/.block-${n}.${block.language}`, block]),
  );
  const faults = compile(new Map([...files].map(([name, { code }]) => [name, code]))).map(
    ({ file, message }) => `${files.get(file)?.page}:${files.get(file)?.line} ${message}`,
  );
  expect(programs.length).toBeGreaterThan(0);
  expect(faults).toEqual([]);
});
