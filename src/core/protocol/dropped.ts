import * as v from 'valibot';
import type { ValidationIssue } from '../base/errors.ts';
import { issuesIn } from '../base/issue.ts';
import { fits } from './compiled-check.ts';
import { marksOf, partsIn, selectVariant } from './schema-shape.ts';

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
  const { strict, item, variants, rewriting } = marksOf(schema);
  if (strict) return visitLenient(strict, value, path, issues);
  if (variants) return visit(selectVariant(variants, value), value, path, issues);
  if (rewriting) return visit(rewriting.schema, rewriting.rewrite(value), path, issues);
  const visitPart = item ? visitLenient : visit;
  for (const part of partsIn(schema, value, path)) visitPart(...part, issues);
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
