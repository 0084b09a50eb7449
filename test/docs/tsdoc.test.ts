import { join, resolve } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { compile } from './compile.ts';

// The compiler takes a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const root = resolve(import.meta.dirname, '../..');

/** The schemas' entries are left out: their names are the protocol's own, and their page says what they mean. */
const entries = ['index', 'node', 'conversation', 'testing'].map((name) => join(root, 'src', `${name}.ts`));

let checker: ts.TypeChecker;
let program: ts.Program;

beforeAll(() => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  program = ts.createProgram(entries, ts.parseJsonConfigFileContent(config, ts.sys, root).options);
  checker = program.getTypeChecker();
}, 60_000);

/** What an entry exports, each name as it is declared. */
function exportsOf(entry: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is no module.`);
  return checker
    .getExportsOfModule(module)
    .map((found) => (found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found));
}

function comment(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

/** What can be called of a class or an interface, and what a class computes; not its plain fields. */
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

const isInternal = (symbol: ts.Symbol) => symbol.getJsDocTags().some(({ name }) => name === 'internal');

describe.each(entries)('%s', (entry) => {
  test('every public name has a comment', () => {
    const names = exportsOf(entry);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((symbol) => comment(symbol) === '').map(({ name }) => name)).toEqual([]);
  });

  test('everything that can be called on them has one', () => {
    const all = exportsOf(entry).flatMap(callables);
    const silent = all.filter(([, symbol]) => !isInternal(symbol) && comment(symbol) === '');
    expect(all.length).toBeGreaterThan(0);
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('a function of several parameters shows how it is used', () => {
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

/** The code of every example, by where it stands. */
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

/** Everything public, so that an example need not import what it shows. */
function preamble(code: string): string {
  const taken = new Set<string>(code.match(/(?<=\b(?:const|let) )\w+/g));
  return entries
    .map((entry) => {
      const used = exportsOf(entry).filter(
        ({ name }) => new RegExp(`\\b${name}\\b`).test(code) && !taken.has(name),
      );
      for (const { name } of used) taken.add(name);
      const names = used.map(({ name, flags }) => (flags & ts.SymbolFlags.Value ? name : `type ${name}`));
      return names.length === 0 ? '' : `import { ${names.join(', ')} } from '${moduleOf[entry]}';\n`;
    })
    .join('');
}

const moduleOf: Readonly<Record<string, string>> = Object.fromEntries(
  entries.map((entry, place) => [
    entry,
    ['acp-client-sdk', 'acp-client-sdk/node', 'acp-client-sdk/conversation', 'acp-client-sdk/testing'][
      place
    ] ?? '',
  ]),
);

/** What examples take for granted, where its type matters; the rest may be anything. */
const granted: Readonly<Record<string, string>> = {
  connection: "import('acp-client-sdk').ClientConnection",
  session: "import('acp-client-sdk').Session",
  conversation: "import('acp-client-sdk').Conversation",
  clientInfo: "import('acp-client-sdk').Implementation",
};
const anything = 'any';
const cannotFindName = new Set([2304, 2552, 18004]);

test('every example compiles, once what it takes for granted is declared', () => {
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
}, 60_000);
