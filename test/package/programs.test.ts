import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { entries, folderOf } from './imports.ts';
import { privateNames } from './private-names.ts';

const root = new URL('../../src/', import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path));

const statementsOf = (file: string) =>
  ts.createSourceFile(file, readFileSync(new URL(file, root), 'utf8'), ts.ScriptTarget.Latest).statements;

/** The types that a file declares for others, as `file#name`. */
function typesOf(file: string): readonly string[] {
  return statementsOf(file).flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported ? [`${file}#${statement.name.text}`] : [];
  });
}

/** The names that a file imports or passes on, as `file#name` of where they are. */
function namesOf(file: string): readonly string[] {
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

const publicNames = new Set([...entries].flatMap(namesOf));

// The demo agent is the other end of a connection: a client of the library does not have what it needs.
const programs = ['programs/cli', 'programs/inspector'];

test('programs import public names and what renders, and of others no more than those in the list', () => {
  const used = files
    .filter((file) => programs.includes(folderOf(file)))
    .flatMap(namesOf)
    .filter((name) => {
      const room = folderOf(name);
      return (
        !name.startsWith('..') && room !== 'render' && !programs.includes(room) && !publicNames.has(name)
      );
    });
  expect([...new Set(used)].sort()).toEqual(privateNames);
});
