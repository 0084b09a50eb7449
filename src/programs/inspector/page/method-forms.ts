import type * as v from 'valibot';
import type { DialectName } from '../../../protocol/dialect.ts';
import { dialectNamed } from '../../../protocol/negotiate.ts';

/** The form of a value, for a control. */
export type Shape =
  | { readonly is: 'text' | 'number' | 'boolean' | 'json' }
  | { readonly is: 'choice'; readonly values: readonly string[] }
  | { readonly is: 'object'; readonly fields: readonly Field[] };

/** A field of an object. */
export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly required: boolean;
}

/** A method that a client can call. */
export interface MethodForm {
  readonly method: string;
  /** The feature that the agent must support. `null`: none. */
  readonly requires: string | null;
  readonly isNotification: boolean;
  readonly fields: readonly Field[];
}

export type MethodForms = Readonly<Record<DialectName, readonly MethodForm[]>>;

/** Deeper values are written as JSON. */
const maxDepth = 2;

/** The forms of all methods, from the schemas. The build runs this, so that the page has no schemas. */
export function methodForms(): MethodForms {
  return { v1: formsOf('v1'), 'v2-markers': formsOf('v2-markers'), 'v2-baseline': formsOf('v2-baseline') };
}

function formsOf(name: DialectName): readonly MethodForm[] {
  return Object.values(dialectNamed(name).agentMethods).map(({ method, params, requires, result }) => {
    const shape = shapeOf(params, 0);
    return {
      method,
      requires: requires ?? null,
      isNotification: result === undefined,
      fields: shape.is === 'object' ? shape.fields : [],
    };
  });
}

/** The parts of a schema of valibot that tell its form. */
interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaParts>>;
  readonly wrapped?: SchemaParts;
  readonly options?: readonly unknown[];
  readonly pipe?: readonly SchemaParts[];
}

function shapeOf(schema: v.GenericSchema | SchemaParts, depth: number): Shape {
  // Each kind of schema has its parts under these names.
  const { type, entries, wrapped, options, pipe } = schema as SchemaParts;
  if (entries && depth < maxDepth) {
    const fields = Object.entries(entries)
      .filter(([name]) => name !== '_meta')
      .map(([name, field]) => ({ name, shape: shapeOf(field, depth + 1), required: !isOptional(field) }));
    return { is: 'object', fields };
  }
  if (wrapped) return shapeOf(wrapped, depth);
  if (type === 'picklist' && options?.every((option) => typeof option === 'string')) {
    return { is: 'choice', values: options };
  }
  if (type === 'string') return { is: 'text' };
  if (type === 'number') return { is: 'number' };
  if (type === 'boolean') return { is: 'boolean' };
  const first = pipe?.[0];
  if (first && first !== schema && first.type !== type) return shapeOf(first, depth);
  return { is: 'json' };
}

function isOptional({ type, wrapped, pipe }: SchemaParts): boolean {
  if (type === 'exact_optional' || type === 'optional' || type === 'nullish') return true;
  const inner = wrapped ?? (pipe?.[0]?.type === type ? undefined : pipe?.[0]);
  return inner !== undefined && isOptional(inner);
}
