import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { compileFiles, faultsIn } from './compiler.ts';
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

const main = 'acp-client-sdk';
const conversation = `${main}/conversation`;
const schemas = Object.keys(entries).filter((entry) => entry.includes('/schema/'));

// The names of the schemas are those of the protocol. Both versions and the main entry have one `Annotations` each.
const own = Object.keys(entries).filter((entry) => !schemas.includes(entry));
/** The names that two entries have, with what they stand for in the first one. */
const shared = own.flatMap((entry, index) =>
  own.slice(index + 1).flatMap((other) => {
    const others = namesOf(other);
    return [...namesOf(entry)].flatMap(([name, symbol]) =>
      others.has(name)
        ? { name, symbol, entries: `${entry}, ${other}`, isSame: others.get(name) === symbol }
        : [],
    );
  }),
);

test('no two entries have a name with two meanings', () => {
  expect(shared.filter(({ isSame }) => !isSame).map(({ name, entries }) => `${name} of ${entries}`)).toEqual(
    [],
  );
});

test('only the main entry and /conversation share names, and only types', () => {
  // A program uses one of the two bridges.
  const bridges = `${main}/ag-ui, ${main}/ai-sdk`;
  const ofBridges = shared.filter(({ entries }) => entries === bridges);
  expect(ofBridges.map(({ name }) => name).sort()).toEqual(['ChatSession', 'askInChat']);
  const others = shared.filter(({ entries }) => entries !== bridges);
  expect(others.length).toBeGreaterThan(20);
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

/** A program that compiles if the build declares the types of an entry as the source does. */
function comparison(version: 'v1' | 'v2'): string {
  const names = [...namesOf(`${main}/schema/${version}`).keys()].filter((name) => name !== 'Unrecognized');
  expect(names.length).toBeGreaterThan(100);
  const lines = names.map((name) => `export const ${name}: Equal<source.${name}, built.${name}> = true;`);
  return `
    import type * as source from '${root}/src/entries/schema-${version}.ts';
    import type * as built from '${root}/dist/schema-${version}.js';
    type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the build is wider') : 'the source is wider';
    export const schemas: Equal<keyof typeof source, keyof typeof built> = true;
    ${lines.join('\n')}
  `;
}

test('the build declares each type of the schemas as the source does', async () => {
  await compileFiles({ 'v1.mts': comparison('v1'), 'v2.mts': comparison('v2') }, { types: [] });
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
  expect(hashes.length).toBeGreaterThan(200);
  await expect(`${hashes.join('\n')}\n`).toMatchFileSnapshot('schema-types.txt');
});

/** A mistake in a program, and the sentence of the compiler that names it. */
const mistakes: readonly (readonly [code: string, message: string])[] = [
  [
    "connection.newSession({ cwd: '/a', mcpServers: [{ name: 'a', command: '/a', env: { A: '1' } }] });",
    "'A' does not exist in type 'readonly { readonly name: string; readonly value: string; }[]'",
  ],
  [
    "const server = { name: 'a', command: '/a', env: { A: '1' } }; connection.newSession({ cwd: '/a', mcpServers: [server] });",
    "Types of property 'env' are incompatible",
  ],
  [
    "connection.newSession({ cwd: '/a', mcpServers: [{ type: 'http', name: 'a', uri: 'https://a.example' }] });",
    "'uri' does not exist in type",
  ],
  [
    "const block = { type: 'text', text: 'Hi.' }; session.prompt([block]);",
    `Type 'string' is not assignable to type '"text"'`,
  ],
  [
    "const image = { type: 'image', data: '', mimeType: 'image/png' }; session.prompt([image]);",
    "Types of property 'type' are incompatible",
  ],
  ["session.prompt([{ type: 'image', data: '' }]);", "Property 'mimeType' is missing"],
  ["session.prompt([{ type: 'text', txt: 'Hi.' }]);", "'txt' does not exist in type 'TextContent'"],
];

test('the compiler names the mistake in a value of an open union', async () => {
  const lines = [
    `import type { ClientConnection, Session } from '${root}/dist/index.js';`,
    'declare const connection: ClientConnection;',
    'declare const session: Session;',
    ...mistakes.map(([mistake]) => `{ ${mistake} }`),
  ];
  const lib = ['es2023', 'esnext.disposable', 'dom'];
  const faults = await faultsIn({ 'program.mts': lines.join('\n') }, { types: [], lib });
  const found = mistakes.map(([mistake], place) => ({
    mistake,
    message: faults.find(({ line }) => line === 4 + place)?.message ?? '',
  }));
  expect(found).toEqual(
    mistakes.map(([mistake, message]) => ({ mistake, message: expect.stringContaining(message) })),
  );
  for (const { message } of found) expect(message).not.toMatch(/UnknownContent'\.|`_\$\{string\}`'/);
});
