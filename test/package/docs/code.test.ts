import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { type Block, programs } from './blocks.ts';
import { compile } from './compile.ts';
import { comment, entries, exportsOf, isInternal } from './public-names.ts';

/** Methods and accessors of a class or an interface. */
function callables({ members, name }: ts.Symbol): readonly (readonly [string, ts.Symbol])[] {
  return [...(members?.values() ?? [])].flatMap((member) => {
    const declaration = member.declarations?.[0];
    const isPublic =
      declaration !== undefined &&
      'name' in declaration &&
      !ts.isPrivateIdentifier(declaration.name as ts.Node) &&
      !ts.isComputedPropertyName(declaration.name as ts.Node) &&
      !(ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected));
    const flags = ts.SymbolFlags.Method | ts.SymbolFlags.Accessor;
    return isPublic && member.flags & flags ? [[`${name}.${member.name}`, member] as const] : [];
  });
}

describe.each(entries)('%s', (entry) => {
  test('every public name has a comment', () => {
    const names = exportsOf(entry);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((symbol) => comment(symbol) === '').map(({ name }) => name)).toEqual([]);
  });

  test('every method and accessor has a comment', () => {
    // VS Code documents its own objects.
    const documented = exportsOf(entry).filter(({ name }) => !name.startsWith('VsCode'));
    const all = documented.flatMap(callables);
    const silent = all.filter(([, symbol]) => !isInternal(symbol) && comment(symbol) === '');
    expect(all.length).toBeGreaterThan(0);
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

/** The code of every example in a comment, by the name of its file. */
function examples(): ReadonlyMap<string, string> {
  const owners = entries.flatMap((entry) =>
    exportsOf(entry).flatMap((symbol) => [[symbol.name, symbol] as const, ...callables(symbol)]),
  );
  return new Map(
    owners.flatMap(([name, symbol]) =>
      symbol
        .getJsDocTags()
        .filter((tag) => tag.name === 'example')
        .map((tag) => {
          const code = ts.displayPartsToString(tag.text).replace(/^```ts\n|\n```$/g, '');
          return [`docs/.example-${name}.ts`, code] as const;
        }),
    ),
  );
}

/** Imports of every public name that an example uses without importing it. */
function preamble(code: string): string {
  const taken = new Set<string>(code.match(/(?<=\b(?:const|let) )\w+/g));
  return entries
    .map((entry) => {
      const used = exportsOf(entry).filter(
        ({ name }) => new RegExp(`\\b${name}\\b`).test(code) && !taken.has(name),
      );
      for (const { name } of used) taken.add(name);
      const names = used.map(({ name, flags }) => (flags & ts.SymbolFlags.Value ? name : `type ${name}`));
      return names.length === 0 ? '' : `import { ${names.join(', ')} } from '${entry}';\n`;
    })
    .join('');
}

/** Types of names that examples use without declaring them. Other names have the type `any`. */
const granted: Readonly<Record<string, string>> = {
  connection: "import('acp-client-sdk').ClientConnection",
  session: "import('acp-client-sdk').Session",
  conversation: "import('acp-client-sdk').Conversation",
  clientInfo: "import('acp-client-sdk').Implementation",
};
const anything = 'any';
const cannotFindName = new Set([2304, 2552, 18004]);

test('every example in a comment compiles', () => {
  const sources = new Map(
    [...examples()].map(([name, code]) => [name, `${preamble(code)}${code}\nexport {};\n`]),
  );
  expect(sources.size).toBeGreaterThan(20);
  const missing = compile(sources).filter(({ code }) => cannotFindName.has(code));
  for (const [file, source] of sources) {
    const names = missing
      .filter((fault) => fault.file === file)
      .map(({ message }) => /'(\w+)'/.exec(message)?.[1] ?? '');
    const declared = [...new Set(names)].map((name) => `declare let ${name}: ${granted[name] ?? anything};`);
    sources.set(file, `${source}${declared.join('\n')}\n`);
  }
  expect(compile(sources)).toEqual([]);
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
