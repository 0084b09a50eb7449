import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { entries, root } from './entries.ts';

const fileOf = (entry: string) => `${root}/dist/${entries[entry]}.d.ts`;

const program = ts.createProgram(Object.keys(entries).map(fileOf), {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [`${root}/node_modules/@types`],
});
const checker = program.getTypeChecker();

/** What a name stands for in the end, through all imports and exports. */
function target(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The names that an entry exports, types included, with what each of them stands for. */
function namesOf(entry: string): ReadonlyMap<string, ts.Symbol> {
  const source = program.getSourceFile(fileOf(entry));
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${fileOf(entry)} is no module.`);
  return new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, target(symbol)]));
}

/** The types of this package that a declaration names. Types of a parameter, of Node and of other packages are not meant. */
function typesNamedIn(declaration: ts.Node): readonly ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (node: ts.Node) => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol && isOurs(target(symbol))) found.push(target(symbol));
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
}

function isOurs(symbol: ts.Symbol): boolean {
  const isParameter = (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0;
  return (
    !isParameter &&
    (symbol.declarations ?? []).some((node) => node.getSourceFile().fileName.startsWith(`${root}/dist/`))
  );
}

/** A type that no program can import, and the public name whose declaration leads to it. */
interface HiddenType {
  readonly name: string;
  readonly of: string;
}

/** The types that the declarations of an entry name, also through other types, and that the sources do not export. */
function hiddenTypes(entry: string, sources: readonly string[]): readonly HiddenType[] {
  const exported = new Set(sources.flatMap((source) => [...namesOf(source).values()]));
  const hidden = new Map<ts.Symbol, string>();
  const pending = [...namesOf(entry).values()];
  const seen = new Set(pending);
  for (const symbol of pending) {
    for (const type of (symbol.declarations ?? []).flatMap(typesNamedIn)) {
      if (!exported.has(type) && !hidden.has(type)) hidden.set(type, symbol.name);
      if (!seen.has(type)) pending.push(type);
      seen.add(type);
    }
  }
  return [...hidden].map(([type, of]) => ({ name: type.name, of }));
}

const main = 'acp-client-sdk';
const conversation = `${main}/conversation`;
const schemas = Object.keys(entries).filter((entry) => entry.includes('/schema/'));

/**
 * Where a program that uses an entry finds the types of its signatures. A page that draws a conversation needs
 * `/conversation` only. `/node`, `/testing`, `/vscode` and the schemas are used beside the main entry.
 */
const sources: Readonly<Record<string, readonly string[]>> = {
  [main]: [main, ...schemas],
  [conversation]: [conversation],
  [`${main}/node`]: [`${main}/node`, main],
  [`${main}/markdown`]: [`${main}/markdown`],
  [`${main}/transcripts`]: [`${main}/transcripts`, main, conversation, ...schemas],
  [`${main}/panel`]: [`${main}/panel`, `${main}/transcripts`, main, conversation, ...schemas],
  [`${main}/ag-ui`]: [
    `${main}/ag-ui`,
    `${main}/panel`,
    `${main}/transcripts`,
    main,
    conversation,
    ...schemas,
  ],
  [`${main}/ai-sdk`]: [
    `${main}/ai-sdk`,
    `${main}/panel`,
    `${main}/transcripts`,
    main,
    conversation,
    ...schemas,
  ],
  [`${main}/testing`]: [`${main}/testing`, `${main}/transcripts`, main, conversation, ...schemas],
  [`${main}/tools`]: [`${main}/tools`, main],
  [`${main}/vscode`]: [
    `${main}/vscode`,
    `${main}/panel`,
    `${main}/transcripts`,
    main,
    conversation,
    ...schemas,
  ],
  ...Object.fromEntries(schemas.map((schema) => [schema, [schema, main]])),
};

test.each(Object.keys(entries))('every type of a signature of %s can be imported', (entry) => {
  const names = namesOf(entry);
  expect(names.size).toBeGreaterThan(4);
  expect(hiddenTypes(entry, sources[entry] ?? [])).toEqual([]);
});

// The names of the schemas are those of the protocol. Both versions and the main entry have one `Annotations` each.
const own = Object.keys(entries).filter((entry) => !schemas.includes(entry));
const pairs = own.flatMap((entry, index) => own.slice(index + 1).map((other) => [entry, other] as const));

test.each(pairs)('%s and %s have no name with two meanings', (entry, other) => {
  const others = namesOf(other);
  const shared = [...namesOf(entry)].filter(([name]) => others.has(name));
  expect(shared.filter(([name, symbol]) => others.get(name) !== symbol).map(([name]) => name)).toEqual([]);
});

test('only the main entry and /conversation share names, and only types', () => {
  // A program uses one of the two bridges.
  const bridges = `${main}/ag-ui, ${main}/ai-sdk`;
  const shared = pairs.flatMap(([entry, other]) => {
    const others = namesOf(other);
    return [...namesOf(entry)]
      .filter(([name]) => others.has(name))
      .map(([name, symbol]) => ({ name, symbol, entries: `${entry}, ${other}` }));
  });
  expect(
    shared
      .filter(({ entries }) => entries === bridges)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['ChatSession', 'askInChat']);
  const others = shared.filter(({ entries }) => entries !== bridges);
  expect(others.length).toBeGreaterThan(50);
  expect(new Set(others.map(({ entries }) => entries))).toEqual(new Set([`${main}, ${conversation}`]));
  expect(others.filter(({ symbol }) => symbol.valueDeclaration).map(({ name }) => name)).toEqual([]);
});

test('no public type is any', () => {
  const names = readdirSync(`${root}/dist`).filter((name) => name.endsWith('.d.ts'));
  expect(names.length).toBeGreaterThan(Object.keys(entries).length);
  for (const name of names) {
    const declarations = readFileSync(`${root}/dist/${name}`, 'utf8');
    const code = declarations.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g, '');
    expect(code.match(/.*\bany\b.*/g), name).toBeNull();
  }
});
