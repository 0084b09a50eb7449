import { type Row, type RowKind, searchTextOf } from './rows.ts';

/** Which rows of the wire are shown. An empty text shows all. */
export interface WireFilter {
  readonly direction: '' | 'in' | 'out';
  readonly kind: '' | 'messages' | 'requests' | 'notifications' | 'errors' | 'other';
  readonly method: string;
  readonly sessionId: string;
  readonly text: string;
}

export const emptyFilter: WireFilter = { direction: '', kind: '', method: '', sessionId: '', text: '' };

export const directionNames = {
  '': 'both directions',
  in: '← from the agent',
  out: '→ to the agent',
} as const satisfies Record<WireFilter['direction'], string>;

export const kindNames = {
  '': 'all kinds',
  messages: 'messages',
  requests: 'requests and answers',
  notifications: 'notifications',
  errors: 'errors and diagnostics',
  other: 'process and stderr',
} as const satisfies Record<WireFilter['kind'], string>;

const kinds = {
  '': null,
  messages: ['request', 'answer', 'error', 'notification'],
  requests: ['request', 'answer', 'error'],
  notifications: ['notification'],
  errors: ['error', 'diagnostic'],
  other: ['stderr', 'process', 'connection'],
} as const satisfies Record<WireFilter['kind'], readonly RowKind[] | null>;

/** Whether a row is shown. */
export function passes(row: Row, filter: WireFilter): boolean {
  const { item, kind, label, sessionId } = row;
  if (filter.direction !== '' && (item.type !== 'message' || item.dir !== filter.direction)) return false;
  const wanted: readonly RowKind[] | null = kinds[filter.kind];
  if (wanted && !wanted.includes(kind)) return false;
  if (filter.method !== '' && (item.type !== 'message' || label !== filter.method)) return false;
  if (filter.sessionId !== '' && sessionId !== filter.sessionId) return false;
  return filter.text === '' || searchTextOf(row).includes(filter.text.toLowerCase());
}

/** The rows that pass a filter. Rows that are added are filtered alone. */
export class FilteredRows {
  #filter: WireFilter | undefined;
  #rows: readonly Row[] | undefined;
  #seen = 0;
  indexes: number[] = [];

  update(rows: readonly Row[], filter: WireFilter): readonly number[] {
    if (rows !== this.#rows || filter !== this.#filter) {
      this.#rows = rows;
      this.#filter = filter;
      this.#seen = 0;
      this.indexes = [];
    }
    for (; this.#seen < rows.length; this.#seen++) {
      const row = rows[this.#seen];
      if (row && passes(row, filter)) this.indexes.push(this.#seen);
    }
    return this.indexes;
  }
}
