import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { exportFormat, exportVersion } from '../../src/conversation/export.ts';
import { eithers, enums, objects, unions } from '../../src/conversation/shape.ts';

/**
 * The JSON Schema of an exported conversation, from the tables of `shape.ts`, which the compiler compares with the
 * types, and from the comments of the types.
 */
export function conversationSchema(): JsonObject {
  const comments = readComments();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:${exportFormat.replace('/', ':')}:${exportVersion}`,
    title: 'A conversation that exportConversation of acp-client-sdk returned',
    description: 'Fields that the schema does not name are of later versions of the package: ignore them.',
    type: 'object',
    properties: {
      format: { const: exportFormat },
      version: { const: exportVersion },
      madeBy: {
        type: 'object',
        properties: { name: { type: 'string' }, version: { type: 'string' } },
        required: ['name', 'version'],
      },
      conversation: { $ref: '#/$defs/Conversation' },
    },
    required: ['format', 'version', 'madeBy', 'conversation'],
    $defs: {
      ...Object.fromEntries(
        Object.entries(objects).map(([name, fields]) => [name, objectSchema(name, fields, comments)]),
      ),
      ...Object.fromEntries(
        Object.entries(unions).map(([name, union]) => [name, described(unionSchema(union), comments, name)]),
      ),
      ...Object.fromEntries(
        Object.entries(eithers).map(([name, codes]) => [name, { anyOf: codes.map(typeSchema) }]),
      ),
      ...Object.fromEntries(
        Object.entries(enums).map(([name, known]) => [
          name,
          described({ enum: Object.keys(known) }, comments, name),
        ]),
      ),
    },
  };
}

function objectSchema(name: string, fields: Readonly<Record<string, string>>, comments: Comments): JsonValue {
  const properties = Object.entries(fields).map(([key, code]) => [
    key,
    described(typeSchema(code), comments, `${name}.${key}`),
  ]);
  return described(
    {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: Object.entries(fields)
        .filter(([, code]) => !code.endsWith('?'))
        .map(([key]) => key),
    },
    comments,
    name,
  );
}

interface Union {
  readonly by: string;
  readonly of: Readonly<Record<string, string>>;
  readonly other: string | undefined;
}

function unionSchema({ by, of, other }: Union): JsonObject {
  const known = Object.values(of).map(reference);
  if (other === undefined) return { oneOf: known };
  const isUnknown = { properties: { [by]: { not: { enum: Object.keys(of) } } } };
  return { oneOf: [...known, { allOf: [reference(other), isUnknown] }] };
}

/** The schema of a type, as the tables write it. */
function typeSchema(code: string): JsonObject {
  if (code.endsWith('?')) return typeSchema(code.slice(0, -1));
  if (code.endsWith('|null')) return { anyOf: [typeSchema(code.slice(0, -5)), { type: 'null' }] };
  if (code.endsWith('[]')) return { type: 'array', items: typeSchema(code.slice(0, -2)) };
  if (code.endsWith('{}')) return { type: 'object', additionalProperties: typeSchema(code.slice(0, -2)) };
  if (code.startsWith('=')) return { const: code.slice(1) };
  if (code === 'json') return {};
  return ['string', 'number', 'boolean', 'object'].includes(code) ? { type: code } : reference(code);
}

function reference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

type Comments = ReadonlyMap<string, string>;

function described(schema: JsonObject, comments: Comments, name: string): JsonObject {
  const description = comments.get(name);
  return description === undefined ? schema : { description, ...schema };
}

const model = join(import.meta.dirname, '../../src/model');

/** The comments of the types of the model and of their fields, by `Type` and `Type.field`. */
function readComments(): Comments {
  const comments = new Map<string, string>();
  const bases: [name: string, base: string][] = [];
  for (const file of readdirSync(model)) {
    const path = join(model, file);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    source.forEachChild((node) => {
      if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return;
      const name = node.name.text;
      add(comments, name, node);
      if (!ts.isInterfaceDeclaration(node)) return;
      for (const { types } of node.heritageClauses ?? []) {
        for (const { expression } of types) bases.push([name, expression.getText()]);
      }
      for (const member of node.members) {
        if (member.name) add(comments, `${name}.${member.name.getText()}`, member);
      }
    });
  }
  for (const [name, base] of bases) {
    for (const [key, comment] of [...comments]) {
      if (key.startsWith(`${base}.`)) comments.set(`${name}.${key.slice(base.length + 1)}`, comment);
    }
  }
  return comments;
}

function add(comments: Map<string, string>, name: string, node: ts.Node): void {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined;
  if (text) comments.set(name, text.replace(/\{@link (?:\w+\.)?(\w+)\}/g, '$1').replace(/\s+/g, ' '));
}
