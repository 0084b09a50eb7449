export const clientNames = { ours: 'this library', official: 'official SDK' };

/** A median, with the least and the most if they differ. */
export const ms = ({ median, least, most }) =>
  least === most ? `${round(median)} ms` : `${round(median)} (${round(least)}–${round(most)}) ms`;
export const round = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
export const seconds = ({ median }) => `${(median / 1000).toFixed(1)} s`;
export const times = (value) => `${value.toFixed(value >= 10 ? 0 : 2)} ×`;
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes >= 1e8 ? 0 : 1)} MB`;
/** Marks a value that misses its target. */
export const verdict = (isMet) => (isMet ? '' : ' (missed)');
export const count = (value) => value.toLocaleString('en');

/** A table of Markdown with a row for each result. A column has its head, and what makes a cell of a result. */
export function tableOf(results, columns) {
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    results.map((result) => cells.map((cell) => cell(result))),
  );
}

/** A table of Markdown. All columns but the first are numbers. */
export function table(head, rows) {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
