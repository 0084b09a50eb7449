import { join, relative } from 'node:path';
import ts from 'typescript';
import { type Fault, faultsIn } from '../compiler.ts';
import { partsOf } from '../public-declarations.ts';
import { root } from './pages.ts';

/** What the options of a user's compiler add to those of this repository, with the sources in place of the package. */
const userOptions = {
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  typeRoots: [join(root, 'node_modules/@types')],
  paths: {
    'acp-client-sdk': [join(root, 'src/entries/index.ts')],
    'acp-client-sdk/panel-element': [join(root, 'src/ui/panel-element/panel-element.d.ts')],
    'acp-client-sdk/*': [join(root, 'src/entries/*.ts')],
    'acp-client-sdk/schema/*': [join(root, 'src/entries/schema-*.ts')],
  },
};

/** The options of a user's compiler. The site shows types with them. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const merged = { ...config, compilerOptions: { ...config.compilerOptions, ...userOptions } };
  return ts.parseJsonConfigFileContent(merged, ts.sys, root).options;
}

/** A program of files of the repository, for questions about its types. */
export function createProgram(names: readonly string[]): ts.Program {
  return ts.createProgram([...names], compilerOptions());
}

/** Compiles files against the sources, as the code of a user. Resolves to the errors in the files, not in the sources. */
export async function compile(files: Readonly<Record<string, string>>): Promise<readonly Fault[]> {
  const faults = await faultsIn(files, userOptions);
  return faults.filter(({ file }) => Object.hasOwn(files, file));
}

/**
 * Entries by the name that a user imports, in the order in which their pages describe names. The names of the schema entries
 * are those of the protocol.
 */
const modules: Readonly<Record<string, string>> = {
  'acp-client-sdk/conversation': 'src/entries/conversation.ts',
  'acp-client-sdk': 'src/entries/index.ts',
  'acp-client-sdk/node': 'src/entries/node.ts',
  'acp-client-sdk/testing': 'src/entries/testing.ts',
  'acp-client-sdk/transcripts': 'src/entries/transcripts.ts',
  'acp-client-sdk/tools': 'src/entries/tools.ts',
  'acp-client-sdk/panel': 'src/entries/panel.ts',
  'acp-client-sdk/vscode': 'src/entries/vscode.ts',
  'acp-client-sdk/markdown': 'src/entries/markdown.ts',
  'acp-client-sdk/ai-sdk': 'src/entries/ai-sdk.ts',
  'acp-client-sdk/ag-ui': 'src/entries/ag-ui.ts',
};
export const entries = Object.keys(modules);
const fileOf = (entry: string) => join(root, modules[entry] ?? '');

const program = createProgram(entries.map(fileOf));
export const checker = program.getTypeChecker();

/** What an entry exports, each name as it is declared. */
export function exportsOf(entry: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(fileOf(entry));
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module.`);
  return checker
    .getExportsOfModule(module)
    .map((found) => (found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found));
}

/** Where a name is declared, as `file#name`. */
function placeOf({ declarations, name }: ts.Symbol): string {
  const file = declarations?.[0]?.getSourceFile().fileName ?? '';
  return `${relative(join(root, 'src'), file)}#${name}`;
}

function symbolAt(place: string): ts.Symbol {
  const [file = '', name = ''] = place.split('#');
  const declared = program
    .getSourceFile(join(root, 'src', file))
    ?.statements.find((statement) => 'name' in statement && textOf(statement.name) === name);
  const symbol = declared && checker.getSymbolAtLocation((declared as ts.InterfaceDeclaration).name);
  if (!symbol) throw new Error(`${place} declares no type.`);
  return symbol;
}

const textOf = (name: unknown) => (name as ts.Identifier | undefined)?.text;

/** The names that a page describes, and the types that their declarations lead to and that no entry exports. */
interface Page {
  readonly names: readonly ts.Symbol[];
  readonly parts: readonly ts.Symbol[];
}

/** The pages of the reference, by their entries. A name or a type is on the first page that needs it. */
const pages = new Map<string, Page>();
const described = new Set<ts.Symbol>();
const isNew = (symbol: ts.Symbol) => described.size < described.add(symbol).size;
for (const entry of entries) {
  const names = exportsOf(entry).filter(isNew);
  pages.set(entry, { names, parts: [...partsOf(names.map(placeOf))].map(symbolAt).filter(isNew) });
}

export const pageOf = (entry: string): Page => pages.get(entry) ?? { names: [], parts: [] };

/** All that the page of an entry describes. */
export const describedAt = (entry: string): readonly ts.Symbol[] => Object.values(pageOf(entry)).flat();

/** What an entry exports and the page of another one describes, by that entry. */
export const describedElsewhere = (entry: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    entries.flatMap((other) => {
      const names = pageOf(other).names.filter((symbol) => exportsOf(entry).includes(symbol));
      return other === entry || names.length === 0 ? [] : [[other, names.map(({ name }) => name).sort()]];
    }),
  );

/** What the file of an entry says of it. */
export function introductionOf(entry: string): string {
  const text = program.getSourceFile(fileOf(entry))?.text ?? '';
  return (/^\/\*\*([\s\S]*?)@packageDocumentation/.exec(text)?.[1] ?? '').replace(/^ \* ?/gm, '').trim();
}

export function comment(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

export const isInternal = (symbol: ts.Symbol) =>
  symbol.getJsDocTags().some(({ name }) => name === 'internal');

/** The code of an `@example` of a public name, and what it needs to be a program. */
export interface Example {
  /** The name of its file. */
  readonly file: string;
  readonly code: string;
  /** Imports of the public names that it uses without importing them. */
  readonly imports: string;
  /** Declarations of other names that it uses without declaring them. */
  readonly declarations: string;
}

/** The whole programs of examples, by the names of their files. */
export const programsOf = (examples: readonly Example[]) =>
  Object.fromEntries(
    examples.map(({ file, imports, code, declarations }) => [
      file,
      `${imports}${code}\nexport {};\n${declarations}`,
    ]),
  );

/** Methods and accessors of a class or an interface. */
export function callables({
  members,
  name,
}: ts.Symbol): readonly (readonly [name: string, member: ts.Symbol])[] {
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

/** Types of names that examples use without declaring them. Other names have the type `any`. */
const granted: Readonly<Record<string, string>> = {
  connection: "import('acp-client-sdk').ClientConnection",
  session: "import('acp-client-sdk').Session",
  conversation: "import('acp-client-sdk').Conversation",
  clientInfo: "import('acp-client-sdk').Implementation",
};
const anything = 'any';
const cannotFindName = new Set([2304, 2552, 18004]);

/** The examples in the comments of all public names. */
export async function examples(): Promise<readonly Example[]> {
  const bare = entries
    .flatMap((entry) =>
      exportsOf(entry).flatMap((symbol) => [[symbol.name, symbol] as const, ...callables(symbol)]),
    )
    .flatMap(([name, symbol]) =>
      symbol
        .getJsDocTags()
        .filter((tag) => tag.name === 'example')
        .map((tag) => ts.displayPartsToString(tag.text).replace(/^```ts\n|\n```$/g, ''))
        .map((code, n): Example => {
          const file = `${name}-${n}.ts`;
          return { file, code, imports: importsOf(code), declarations: '' };
        }),
    );
  // Several entries can export a name.
  const found = [...new Map(bare.map((example) => [example.file, example])).values()];
  const faults = await compile(programsOf(found));
  const missing = faults.filter(({ code }) => cannotFindName.has(code));
  return found.map((example) => {
    const names = missing
      .filter(({ file }) => file === example.file)
      .map(({ message }) => /'(\w+)'/.exec(message)?.[1] ?? '');
    const declarations = [...new Set(names)].map(
      (name) => `declare let ${name}: ${granted[name] ?? anything};\n`,
    );
    return { ...example, declarations: declarations.join('') };
  });
}

function importsOf(code: string): string {
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
