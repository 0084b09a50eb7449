import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { partsOf } from '../schema/compare.mjs';
import { officialDefs } from '../support/official-schema.ts';
import list from './topics.json' with { type: 'json' };

/** What is unstable in the protocol, and where a user of the library meets it. */

/** Whether a part is stable by now, though the schemas call it unstable. Each of them has the page that says so. */
export function isStabilized(part: string): boolean {
  return list.stabilized.some(({ parts }) => new RegExp(parts).test(part));
}

export interface Topic {
  readonly title: string;
  /** A pattern of the parts of the published schemas: `Definition`, `Definition.field` or `Definition.value`. */
  readonly parts?: string;
  readonly features?: readonly string[];
  /** The public names and their members, which have the tag `@experimental`. Not those of {@link AgentRequests}. */
  readonly names?: readonly string[];
}

export const topics: readonly Topic[] = list.unstable;

/** The parts of a version that only the unstable schema has: definitions, and members of stable definitions. */
export function unstableParts(version: 1 | 2): readonly string[] {
  const stable = officialDefs(version, 'stable');
  return Object.entries(officialDefs(version)).flatMap(([name, definition]) => {
    const known = stable[name];
    if (known === undefined) return [name];
    const members = partsOf(known);
    return [...partsOf(definition)]
      .filter((part) => !members.has(part))
      .map((part) => `${name}.${memberOf(part)}`);
  });
}

/** A value of a union's tag is listed as `type: "acp"`. */
function memberOf(part: string): string {
  return /^\w+: "(.*)"$/.exec(part)?.[1] ?? part;
}

/** Which schemas of the sources have the tag `@experimental`, and which of their members. */

/** The members of a schema, by name: whether the tag stands before them. */
export type Members = ReadonlyMap<string, boolean>;

interface Schema {
  /** Whether the tag stands before the schema, and before the type of the same name. */
  readonly isMarked: boolean;
  readonly members: Members;
}

interface Source {
  readonly path: string;
  readonly constants: ReadonlyMap<string, ts.VariableDeclaration>;
  readonly types: ReadonlyMap<string, ts.TypeAliasDeclaration>;
  /** The file from which a name is imported. */
  readonly imports: ReadonlyMap<string, string>;
}

const sources = new Map<string, Source>();

function sourceOf(path: string): Source {
  const known = sources.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.VariableDeclaration>();
  const types = new Map<string, ts.TypeAliasDeclaration>();
  const imports = new Map<string, string>();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const each of statement.declarationList.declarations) constants.set(each.name.getText(), each);
    } else if (ts.isTypeAliasDeclaration(statement)) {
      types.set(statement.name.text, statement);
    } else if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const { text } = statement.moduleSpecifier;
      const bindings = statement.importClause?.namedBindings;
      if (!text.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) continue;
      for (const each of bindings.elements) imports.set(each.name.text, join(dirname(path), text));
    }
  }
  const source = { path, constants, types, imports };
  sources.set(path, source);
  return source;
}

function isExperimental(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'experimental');
}

/** The exported constants of a file whose names begin with a capital: its schemas. */
export function schemasIn(path: string): ReadonlyMap<string, Schema> {
  const source = sourceOf(path);
  return new Map(
    [...source.constants]
      .filter(([name]) => /^[A-Z]/.test(name))
      .map(([name, declaration]) => {
        const declarations = [declaration, source.types.get(name) ?? declaration];
        const isMarked = declarations.every(isExperimental);
        return [name, { isMarked, members: membersOf(declaration.initializer, source) }];
      }),
  );
}

/** The members that an expression names: those of object literals, and of what they spread. */
function membersOf(node: ts.Expression | undefined, source: Source): Members {
  if (node === undefined) return new Map();
  if (ts.isObjectLiteralExpression(node))
    return new Map(node.properties.flatMap((each) => [...own(each, source)]));
  if (ts.isIdentifier(node)) return membersOfName(node.text, source);
  if (ts.isPropertyAccessExpression(node)) return membersOf(node.expression, source);
  if (ts.isAsExpression(node)) return membersOf(node.expression, source);
  if (ts.isCallExpression(node)) return joined(node.arguments.map((each) => membersOf(each, source)));
  if (ts.isArrowFunction(node)) return joined(namesIn(node.body).map((name) => membersOfName(name, source)));
  return new Map();
}

function own(property: ts.ObjectLiteralElementLike, source: Source): Iterable<[string, boolean]> {
  if (ts.isSpreadAssignment(property)) return membersOf(property.expression, source);
  return [[property.name?.getText() ?? '', isExperimental(property)]];
}

function membersOfName(name: string, source: Source): Members {
  const declaration = source.constants.get(name);
  if (declaration) return membersOf(declaration.initializer, source);
  const file = source.imports.get(name);
  return file === undefined ? new Map() : membersOfName(name, sourceOf(file));
}

/** The names in the body of a function that chooses a schema. */
function namesIn(body: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return names;
}

function joined(all: readonly Members[]): Members {
  return new Map(all.flatMap((members) => [...members]));
}
