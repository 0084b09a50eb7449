import type { MessageItem } from '../timeline/items.ts';
import { type Row, type RowKind, searchTextOf } from './rows.ts';

export const directionNames = {
  '': 'both directions',
  in: '← from the agent',
  out: '→ to the agent',
} as const satisfies Record<'' | MessageItem['dir'], string>;

/** The choices of kinds, with the kinds of rows. `null`: all. */
export const kindChoices = {
  '': { name: 'all kinds', kinds: null },
  messages: { name: 'messages', kinds: ['request', 'answer', 'error', 'notification'] },
  requests: { name: 'requests and answers', kinds: ['request', 'answer', 'error'] },
  notifications: { name: 'notifications', kinds: ['notification'] },
  errors: { name: 'errors and diagnostics', kinds: ['error', 'diagnostic'] },
  other: { name: 'process and stderr', kinds: ['stderr', 'process', 'connection'] },
} as const satisfies Record<string, { readonly name: string; readonly kinds: readonly RowKind[] | null }>;

/** Which rows of the wire are shown. An empty text shows all. */
export interface WireFilter {
  readonly direction: keyof typeof directionNames;
  readonly kind: keyof typeof kindChoices;
  readonly method: string;
  readonly sessionId: string;
  readonly text: string;
}

export const emptyFilter: WireFilter = { direction: '', kind: '', method: '', sessionId: '', text: '' };

/** Whether a row is shown. */
export function passes(row: Row, filter: WireFilter): boolean {
  const { item, kind, label, sessionId } = row;
  if (filter.direction !== '' && (item.type !== 'message' || item.dir !== filter.direction)) return false;
  const wanted: readonly RowKind[] | null = kindChoices[filter.kind].kinds;
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
