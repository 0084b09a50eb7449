import type * as v from 'valibot';
import type { ValidationIssue } from '../../core/base/errors.ts';
import { isJsonObject } from '../../core/base/json.ts';
import {
  type KnownSchema,
  listItem,
  rewriting,
  type SchemaOfType,
  selectVariant,
  shapeOf,
  strictSchema,
  type VariantTable,
  variantTable,
} from '../../core/protocol/schema-shape.ts';
import { closedNames, closedUnions, extensibleNames } from './known-names.ts';

/** A part of a message, with what its surroundings say about it. */
interface Part {
  readonly value: unknown;
  readonly path: string;
  /** The keys that the union around the part has read. */
  readonly tags: readonly string[];
  readonly report: (issue: ValidationIssue) => void;
}

/**
 * Lists the fields, names and variants in a valid value that the protocol does not have. A client keeps them or ignores
 * them, because a newer agent may send them. Names of extensions begin with `_`.
 *
 * @param tags - The keys that have selected the schema.
 */
export function unknownParts(
  schema: v.GenericSchema,
  value: unknown,
  tags: readonly string[],
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  visit(schema, { value, path: '', tags, report: (issue) => issues.push(issue) });
  return issues;
}

function visit(schema: v.GenericSchema, part: Part): void {
  const shape = shapeOf(schema);
  const names = closedNames.get(schema);
  if (names) checkName(part, names, closed);
  const known = extensibleNames.get(schema);
  if (known) checkName(part, known, extensible);
  if (shape[strictSchema]) return visit(shape[strictSchema], part);
  if (shape[listItem]) return visitItems(shape[listItem], part);
  if (shape[rewriting]) return visit(shape[rewriting].schema, part);
  if (shape[variantTable]) return visitVariant(schema, shape[variantTable], part);
  // The table has the function for this very type of schema.
  visitors[shape.type]?.(shape as never, part);
}

function visitVariant(schema: v.GenericSchema, table: VariantTable, part: Part): void {
  const { key, variants } = table;
  if (!isJsonObject(part.value)) return;
  const tag = { ...part, value: part.value[key], path: pathTo(part.path, key) };
  checkName(tag, Object.keys(variants), closedUnions.has(schema) ? closed : extensible);
  // The fields of an extension are the agent's own.
  const isKnown = typeof tag.value === 'string' && Object.hasOwn(variants, tag.value);
  if (isKnown) visit(selectVariant(table, part.value), { ...part, tags: [...part.tags, key] });
}

function visitItems(item: v.GenericSchema, part: Part): void {
  if (!Array.isArray(part.value)) return;
  for (const [place, value] of part.value.entries()) {
    visit(item, { ...part, value, path: pathTo(part.path, String(place)), tags: [] });
  }
}

type Visitor<S> = (schema: S, part: Part) => void;

const visitWrapped: Visitor<{ readonly wrapped: v.GenericSchema }> = ({ wrapped }, part) => {
  if (part.value !== null) visit(wrapped, part);
};

/** How to reach the parts of a value, by the type of its schema. Values of other types have no parts with names. */
const visitors: { readonly [T in KnownSchema['type']]?: Visitor<SchemaOfType<T>> } = {
  nullable: visitWrapped,
  exact_optional: visitWrapped,
  lazy: ({ getter }, part) => visit(getter(part.value), part),
  array: ({ item }, part) => visitItems(item, part),
  record: ({ value: schema }, part) => {
    for (const [key, value] of membersOf(part)) {
      visit(schema, { ...part, value, path: pathTo(part.path, key), tags: [] });
    }
  },
  loose_object: ({ entries }, part) => {
    // valibot also declares schemas that resolve later, which the vocabulary does not have.
    const fields = entries as Readonly<Record<string, v.GenericSchema>>;
    const keys = [...part.tags, ...Object.keys(fields)];
    for (const [key, value] of membersOf(part)) {
      const path = pathTo(part.path, key);
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) visit(field, { ...part, value, path, tags: [] });
      else if (!part.tags.includes(key) && !isExtension(key)) {
        part.report({ path, message: `is not a field of the protocol: use one of ${keys.join(', ')}` });
      }
    }
  },
};

const membersOf = ({ value }: Part) => (isJsonObject(value) ? Object.entries(value) : []);

const isExtension = (name: string) => name.startsWith('_');

/** Which names a set allows beside its own, and how a message lists the names. */
interface Extension {
  readonly allows: (name: string) => boolean;
  readonly listed: (names: readonly string[]) => string;
}

/** The names of a set that an agent can extend, for a message. */
export function orExtension(names: readonly string[]): string {
  return `${names.join(', ')}, or a name that begins with "_"`;
}

const closed: Extension = { allows: () => false, listed: (names) => names.join(', ') };
const extensible: Extension = { allows: isExtension, listed: orExtension };

function checkName({ value, path, report }: Part, names: readonly string[], extension: Extension): void {
  if (typeof value !== 'string' || names.includes(value) || extension.allows(value)) return;
  report({ path, message: `must be one of ${extension.listed(names)}; got ${JSON.stringify(value)}` });
}

function pathTo(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
