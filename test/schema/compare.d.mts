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

export function placesIn(root: string): (version: 1 | 2, name: string, definition: object) => string;

export interface Row {
  readonly version: 1 | 2;
  readonly kind: 'method' | 'capability' | 'definition' | 'field or value' | 'became stable' | 'removed';
  readonly name: string;
  readonly isStable: boolean;
  readonly place: string;
}

export function compareSchemas(
  before: Schemas,
  after: Schemas,
  placeOf: (version: 1 | 2, name: string, definition: object) => string,
): readonly Row[];

export function listOf(rows: readonly Row[]): string;
