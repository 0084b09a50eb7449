import { columnsOf } from './columns.ts';

/** Rows of text in columns, two spaces apart. The last column is as wide as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))));
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell));
  return rows.map((row) => `${row.map(padded).join('  ').trimEnd()}\n`).join('');
}
