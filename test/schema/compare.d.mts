import type { Schemas } from './schemas.d.mts';

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
