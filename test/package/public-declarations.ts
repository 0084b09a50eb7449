import { posix } from 'node:path';
import ts from 'typescript';
import { entries, folderOf, sourceOf } from './imports.ts';

const parsed = new Map<string, readonly ts.Statement[]>();

function statementsOf(file: string): readonly ts.Statement[] {
  const statements =
    parsed.get(file) ?? ts.createSourceFile(file, sourceOf(file), ts.ScriptTarget.Latest, true).statements;
  parsed.set(file, statements);
  return statements;
}

/** The types that a file declares for others, as `file#name`. */
function typesOf(file: string): readonly string[] {
  return statementsOf(file).flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported ? [`${file}#${statement.name.text}`] : [];
  });
}

/** The names that a file imports or passes on: as `file#name` of where they are, by the name that they have in the file. */
function placesIn(file: string): readonly (readonly [name: string, place: string])[] {
  return statementsOf(file).flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.'))
      return [];
    const from = posix.join(posix.dirname(file), moduleSpecifier.text);
    // A file that is passed on as a whole: a list of names, or a file with types.
    if (ts.isExportDeclaration(statement) && !statement.exportClause) {
      const places = folderOf(from) === 'entries' ? namesOf(from) : typesOf(from);
      return places.map((place) => [place, place] as const);
    }
    const list = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    if (!list || ts.isNamespaceImport(list) || ts.isNamespaceExport(list))
      return [['*', `${from}#*`] as const];
    return list.elements.map(
      ({ propertyName, name }) => [name.text, `${from}#${(propertyName ?? name).text}`] as const,
    );
  });
}

/** The names that a file imports or passes on, as `file#name` of where they are. */
export const namesOf = (file: string): readonly string[] => placesIn(file).map(([, place]) => place);

/** The names that users can import, as `file#name` of where they are declared. */
const importable: ReadonlySet<string> = new Set([...entries].flatMap(namesOf));

/** What declares a name, given as `file#name`. */
function statementsFor(place: string): readonly ts.Statement[] {
  const [file = '', name = ''] = place.split('#');
  return statementsOf(file).filter((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.some((each) => each.name.getText() === name)
      : (ts.isFunctionDeclaration(statement) ||
          ts.isClassDeclaration(statement) ||
          ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement)) &&
        statement.name?.text === name,
  );
}

/** The types of this package that the declarations of a name show: not those of its code. */
function typesNamedBy(place: string): readonly string[] {
  const [file = ''] = place.split('#');
  const imported = new Map(placesIn(file));
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name))) return;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    if (name && ts.isIdentifier(name)) {
      const own = `${file}#${name.text}`;
      found.push(
        ...[imported.get(name.text), statementsFor(own).length > 0 ? own : []].flat().filter(isText),
      );
    }
    ts.forEachChild(node, visit);
  };
  statementsFor(place).forEach(visit);
  return found;
}

const isText = (value: string | undefined): value is string => value !== undefined;

/** The types that the declarations of these names lead to, without those to leave out. */
export function typesBelow(
  names: Iterable<string>,
  leftOut: (type: string) => boolean = () => false,
): ReadonlySet<string> {
  const types = new Set<string>();
  const pending = [...names];
  for (const name of pending) {
    for (const type of typesNamedBy(name)) {
      if (leftOut(type) || types.has(type)) continue;
      types.add(type);
      pending.push(type);
    }
  }
  return types;
}

/** The types that the declarations of these names lead to, and that no entry exports. */
export const partsOf = (names: Iterable<string>) => typesBelow(names, (type) => importable.has(type));

const ofSchemas = /^entries\/schema-/;

/** What users meet: the names that they can import, and the types that these lead to, as `file#name`. */
export const publicNames: ReadonlySet<string> = new Set([
  ...importable,
  ...partsOf([...entries].filter((file) => !ofSchemas.test(file)).flatMap(namesOf)),
]);

/** The functions and types that declare a name, given as `file#name`, with that name. */
export function declarationsOf(place: string): readonly (readonly [name: string, node: ts.Node])[] {
  const [, name = ''] = place.split('#');
  return statementsFor(place)
    .filter((statement) => !ts.isVariableStatement(statement) && !ts.isClassDeclaration(statement))
    .map((statement) => [name, statement] as const);
}
