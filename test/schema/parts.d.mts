import type { Row } from './compare.d.mts';

export interface Part {
  readonly title: string;
  readonly wire: readonly string[];
  readonly names: RegExp;
  readonly since: Readonly<Record<1 | 2, string | null>>;
  readonly stable: Readonly<Record<1 | 2, boolean>>;
}

export const parts: readonly Part[];

export function unnamedRows(rows: readonly Row[]): readonly Row[];
