import ts from 'typescript';
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
export function namesOf(entry: string): ReadonlyMap<string, ts.Symbol> {
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
export interface HiddenType {
  readonly name: string;
  readonly of: string;
}

/** The types that the declarations of an entry name, also through other types, and that the sources do not export. */
export function hiddenTypes(entry: string, sources: readonly string[]): readonly HiddenType[] {
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
