import ts from 'typescript';
import { root } from './entries.ts';

const pathOf = (file: string) => `${root}/dist/${file}.d.ts`;

/** One program for both entries: reading the types of valibot takes most of the time. */
let program: ts.Program | undefined;

/**
 * The types that a schema entry declares, each with its properties. API Extractor would spell every schema out with
 * all that it contains, thousands of lines of it.
 */
export function schemaReport(file: string): string {
  const declarations = pathOf(file);
  program ??= ts.createProgram(['schema-v1', 'schema-v2'].map(pathOf), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(declarations);
  const symbol = source && checker.getSymbolAtLocation(source);
  if (!symbol) throw new Error(`${declarations} is no module.`);
  const lines = checker
    .getExportsOfModule(symbol)
    .map((exported) => describe(checker, exported))
    .sort();
  return ['```ts', ...lines, '```', ''].join('\n');
}

function describe(checker: ts.TypeChecker, exported: ts.Symbol): string {
  const { name } = exported;
  const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const isType = (target.flags & ts.SymbolFlags.Type) !== 0;
  const what = `${target.flags & ts.SymbolFlags.Value ? 'schema' : ''} ${isType ? 'type' : ''}`.trim();
  if (!isType) return `${what} ${name}`;
  return `${what} ${name} = ${shape(checker, checker.getDeclaredTypeOfSymbol(target))}`;
}

/** A type with its properties, whose own types are named without theirs. */
function shape(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.isUnion()) return alternatives(type, (member) => shape(checker, member));
  const properties = propertiesOf(checker, type);
  if (properties.length === 0) return brief(checker, type);
  const fields = properties.map((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    const told = brief(checker, checker.getTypeOfSymbol(property)).replace(
      / \| undefined\b|^undefined \| /,
      '',
    );
    return `  ${property.name}${optional}: ${told};`;
  });
  return `{\n${fields.sort().join('\n')}\n}`;
}

/** A type in a few words: of an object the names of its properties. */
function brief(checker: ts.TypeChecker, type: ts.Type): string {
  // A type that contains itself, such as that of any JSON, is named only.
  if (type.aliasSymbol?.name === 'JsonValue') return 'JsonValue';
  if (type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)) {
    return alternatives(type, (member) => brief(checker, member));
  }
  const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (element) return `(${brief(checker, element)})[]`;
  const names = propertiesOf(checker, type).map(
    ({ name, flags }) => `${name}${flags & ts.SymbolFlags.Optional ? '?' : ''}`,
  );
  return names.length === 0 ? checker.typeToString(type) : `{ ${names.sort().join(', ')} }`;
}

/**
 * The compiler has the alternatives of a union in the order in which it came across them, anywhere in what it read.
 */
function alternatives(type: ts.UnionType, tell: (member: ts.Type) => string): string {
  return [...new Set(type.types.map(tell))].sort().join(' | ');
}

/** The properties of a plain object: those of an array or a text are the language's. */
function propertiesOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.Symbol[] {
  const isList = checker.isArrayType(type) || checker.isTupleType(type);
  const mayHave = ts.TypeFlags.Object | ts.TypeFlags.Intersection;
  if (!(type.flags & mayHave) || isList) return [];
  // `string & {}`: any text, with those named beside it for the completion.
  if (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String)) return [];
  return checker.getPropertiesOfType(type);
}
