import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';

export const root = resolve(import.meta.dirname, '../../..');

/** The pages of the documentation that are written by hand. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api/') && !name.includes('node_modules'))
    .map((name) => `docs/${name}`),
];

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** The code with the declarations of what the text around it introduces. */
  readonly code: string;
}

/**
 * Fenced blocks: the declarations for it, the file that it is, its language, its code. A comment `<!-- given: … -->`
 * before a block declares names that the prose introduces, and `<!-- file: … -->` names the file that the block is.
 */
export const fencedBlock =
  /(?:<!-- given:\s*([\s\S]*?)-->\s*\n)?(?:<!-- file: (\S+) -->\s*\n)?^```(\w+)\n([\s\S]*?)^```$/gm;

function blocksOf(page: string): Block[] {
  const source = readFileSync(join(root, page), 'utf8');
  return [...source.matchAll(fencedBlock)].map(
    ([whole, given = '', file = '', language = '', code = '']) => ({
      page,
      line: source.slice(0, source.indexOf(whole)).split('\n').length,
      // The files of a page import each other, and are compiled together.
      language: / from '\.\//.test(code) ? `${language} of ${file}` : language,
      code: `${given}\n${code}\nexport {};\n`,
    }),
  );
}

/** The TypeScript of all pages. */
export const programs: readonly Block[] = pages
  .flatMap(blocksOf)
  .filter(({ language }) => /^tsx?$/.test(language));

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
