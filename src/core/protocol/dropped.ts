import * as v from 'valibot';
import type { ValidationIssue } from '../base/errors.ts';
import { issuesIn } from '../base/issue.ts';
import { isJsonObject } from '../base/json.ts';
import { fits } from './compiled-check.ts';
import { type KnownSchema, marksOf, type SchemaOfType, selectVariant, shapeOf } from './schema-shape.ts';

/** The maximum number of issues for one value. An agent may send a long list of malformed items. */
const maxIssues = 100;

/**
 * Lists what a successful parse with `schema` drops from `value`: the malformed values of lenient keys and the
 * malformed items of lenient lists.
 *
 * @param path - The path of `value`, which the paths of the issues begin with.
 */
export function droppedParts(
  schema: v.GenericSchema,
  value: unknown,
  path: string,
): readonly ValidationIssue[] {
  if (fits(schema, value)) return [];
  const issues: ValidationIssue[] = [];
  visit(schema, value, path, issues);
  return issues.slice(0, maxIssues);
}

function visit(schema: v.GenericSchema, value: unknown, path: string, issues: ValidationIssue[]): void {
  if (issues.length >= maxIssues) return;
  const shape = shapeOf(schema);
  const { strict, item, variants, rewriting } = marksOf(schema);
  if (strict) visitLenient(strict, value, path, issues);
  else if (item) visitEach(value, (candidate, at) => visitLenient(item, candidate, `${path}.${at}`, issues));
  else if (variants) visit(selectVariant(variants, value), value, path, issues);
  else if (rewriting) visit(rewriting.schema, rewriting.rewrite(value), path, issues);
  // The table has the function for this very type of schema.
  else visitors[shape.type]?.(shape as never, value, path, issues);
}

/** Visits a value that is dropped if it is malformed. */
function visitLenient(
  schema: v.GenericSchema,
  value: unknown,
  path: string,
  issues: ValidationIssue[],
): void {
  const result = v.safeParse(schema, value);
  if (result.success) visit(schema, value, path, issues);
  else issues.push(...issuesIn(result.issues.slice(0, 1), path));
}

function visitEach(list: unknown, visitItem: (item: unknown, index: number) => void): void {
  if (Array.isArray(list)) list.forEach(visitItem);
}

type Visitor<S> = (schema: S, value: unknown, path: string, issues: ValidationIssue[]) => void;

const visitWrapped: Visitor<{ readonly wrapped: v.GenericSchema }> = ({ wrapped }, value, path, issues) => {
  if (value !== null) visit(wrapped, value, path, issues);
};

/** How to reach the values inside a value, by the type of its schema. Other types contain no lenient schemas. */
const visitors: { readonly [T in KnownSchema['type']]?: Visitor<SchemaOfType<T>> } = {
  nullable: visitWrapped,
  exact_optional: visitWrapped,
  lazy: ({ getter }, value, path, issues) => visit(getter(value), value, path, issues),
  array: ({ item }, list, path, issues) =>
    visitEach(list, (value, index) => visit(item, value, `${path}.${index}`, issues)),
  loose_object: ({ entries }, object, path, issues) => {
    if (!isJsonObject(object)) return;
    for (const [key, schema] of Object.entries(entries)) {
      // valibot also declares schemas that resolve later, which the vocabulary does not have.
      if (Object.hasOwn(object, key)) visit(schema as v.GenericSchema, object[key], `${path}.${key}`, issues);
    }
  },
};
