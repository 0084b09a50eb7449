/** A definition of a published schema, as far as the comparison reads it. */
export interface Definition {
  readonly const?: unknown;
  readonly properties?: Record<string, Definition>;
  oneOf?: readonly Definition[];
}

type Definitions = Record<string, Definition>;

export type Schemas = Record<1 | 2, { readonly stable: Definitions; readonly all: Definitions }>;

export function readSchemas(home: string): Schemas;

export function partsOf(definition: object): ReadonlySet<string>;
