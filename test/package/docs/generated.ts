import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Holds the part of a page between `<!-- generated: name -->` and `<!-- end -->` against what it must be.
 * `UPDATE_DOCS=1` writes it instead.
 */
export function expectGenerated(page: string, name: string, content: string): void {
  const path = join(root, page);
  const source = readFileSync(path, 'utf8');
  const open = `<!-- generated: ${name} -->\n`;
  const start = source.indexOf(open);
  const end = source.indexOf('<!-- end -->', start);
  expect(start, `${page} has a place for ${name}`).toBeGreaterThanOrEqual(0);
  const before = source.slice(0, start + open.length);
  const wanted = `${before}${content.trimEnd()}\n${source.slice(end)}`;
  if (process.env['UPDATE_DOCS']) writeFileSync(path, wanted);
  else expect(source, `${page} is up to date: UPDATE_DOCS=1 npx vitest run test/package/docs`).toBe(wanted);
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** The cells of the table of a page whose head begins with these. */
export function tableOf(page: string, ...first: readonly string[]) {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const isHead = (line: string) => first.every((cell, index) => cellsOf(line)[index] === cell);
  const begin = lines.findIndex((line) => line.startsWith('|') && isHead(line));
  expect(begin, `${page} has a table with the head ${first.join(', ')}`).toBeGreaterThanOrEqual(0);
  const end = lines.findIndex((line, index) => index > begin && !line.startsWith('|'));
  const [head = [], , ...rows] = lines.slice(begin, end).map(cellsOf);
  return { head, rows };
}

export const rowsBelow = (page: string, ...head: readonly string[]) => tableOf(page, ...head).rows;

/** A cell that is code, without its quotes. */
export const codeIn = (cell = '') => /^`(.*)`$/.exec(cell)?.[1];
