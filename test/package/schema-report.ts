import ts from 'typescript';
import { root } from './entries.ts';

/**
 * The types that a schema entry declares, each with its properties. API Extractor would spell every schema out with
 * all that it contains, thousands of lines of it.
 */
export function schemaReport(file: string): string {
  const declarations = `${root}/dist/${file}.d.ts`;
  const program = ts.createProgram([declarations], {
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

/** A type with its properties, whose own types are cut short where they are long. */
function shape(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.isUnion()) {
    const members = type.types.map((member) => shape(checker, member));
    return [...new Set(members)].sort().join(' | ');
  }
  const properties = checker.getPropertiesOfType(type);
  const isPlain =
    (type.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayType(type) && !checker.isTupleType(type);
  if (!isPlain || properties.length === 0) return checker.typeToString(type);
  const fields = properties.map((property) => {
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const text = checker.typeToString(checker.getTypeOfSymbol(property));
    return optional
      ? `  ${property.name}?: ${text.replace(/ \| undefined$/, '')};`
      : `  ${property.name}: ${text};`;
  });
  return `{\n${fields.sort().join('\n')}\n}`;
}
