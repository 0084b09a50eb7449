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

/** The names that a file imports or passes on, as `file#name` of where they are. */
export function namesOf(file: string): readonly string[] {
  return statementsOf(file).flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.'))
      return [];
    const from = posix.join(posix.dirname(file), moduleSpecifier.text);
    // A file that is passed on as a whole: a list of names, or a file with types.
    if (ts.isExportDeclaration(statement) && !statement.exportClause)
      return folderOf(from) === 'entries' ? namesOf(from) : typesOf(from);
    const list = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    if (!list || ts.isNamespaceImport(list) || ts.isNamespaceExport(list)) return [`${from}#*`];
    return list.elements.map(({ propertyName, name }) => `${from}#${(propertyName ?? name).text}`);
  });
}

/** The public names, as `file#name` of where they are declared. */
export const publicNames: ReadonlySet<string> = new Set([...entries].flatMap(namesOf));

/** The functions and types that declare a name, given as `file#name`, with that name. */
export function declarationsOf(place: string): readonly (readonly [name: string, node: ts.Node])[] {
  const [file = '', name = ''] = place.split('#');
  return statementsOf(file).flatMap((statement) => {
    const isDeclared =
      ts.isFunctionDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement);
    return isDeclared && statement.name?.text === name ? [[name, statement] as const] : [];
  });
}
