import type * as v from 'valibot';
import { isJsonObject } from '../json.ts';

export type Variants = Readonly<Record<string, v.GenericSchema>>;

/** The key under which a lenient list keeps the schema of its items. `v.fallback` copies it along. */
export const listItem: unique symbol = Symbol('list item') as never;

/** The key under which a lenient schema keeps the schema without its fallback. */
export const strictSchema: unique symbol = Symbol('strict schema') as never;

/** The key under which a rewriting schema keeps its parts. */
export const rewriting: unique symbol = Symbol('rewriting') as never;

/** The key under which a tagged union keeps its variants. */
export const variantTable: unique symbol = Symbol('variant table') as never;

/** The properties of a valibot schema that code outside valibot reads. valibot's types hide them behind an interface. */
export interface SchemaShape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly options?: readonly (v.GenericSchema | unknown)[];
  readonly literal?: unknown;
  readonly pipe?: readonly { kind: string; type: string; requirement?: unknown }[];
  readonly check?: (value: unknown) => boolean;
  readonly getter?: (input: unknown) => v.GenericSchema;
  readonly value?: v.GenericSchema;
  readonly [listItem]?: v.GenericSchema;
  readonly [strictSchema]?: v.GenericSchema;
  readonly [rewriting]?: { readonly schema: v.GenericSchema; readonly rewrite: (value: unknown) => unknown };
  readonly [variantTable]?: VariantTable;
}

/** The variants of a tagged union. */
export interface VariantTable {
  readonly key: string;
  readonly variants: Variants;
  /** Reads a value whose tag is not in `variants`. */
  readonly other: v.GenericSchema;
}

/** The variant that reads `input`. */
export function selectVariant({ key, variants, other }: VariantTable, input: unknown): v.GenericSchema {
  const tag = isJsonObject(input) ? input[key] : undefined;
  return typeof tag === 'string' && Object.hasOwn(variants, tag) ? (variants[tag] ?? other) : other;
}
