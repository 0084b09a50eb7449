import type { Token } from 'markdown-it';
import type { Container } from './container.ts';
import { type Fence, openFence } from './fence.ts';

/** A longer head of a table is not repeated. */
const maxHead = 2048;

/** The tokens of each block at the top level. Definitions of links are not blocks. */
export function topLevel(tokens: readonly Token[]): readonly Token[][] {
  const groups: Token[][] = [];
  for (const token of tokens) {
    if (token.type === 'reference_definition') continue;
    if (token.level === 0 && token.nesting >= 0) groups.push([]);
    groups.at(-1)?.push(token);
  }
  return groups;
}

/** The lines from one to another, the second one not included. */
export function lines(source: string, [start, end]: readonly number[]): string {
  return source.slice(lineStart(source, start ?? 0), lineStart(source, end ?? 0));
}

/** Where a line begins, counted from 0. */
export function lineStart(source: string, line: number): number {
  return lineStarts(source)[line] ?? source.length;
}

/** Where each line begins, and where the text ends if that is the end of a line. */
export function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (let end = source.indexOf('\n'); end >= 0; end = source.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

interface LastBlock {
  readonly line: number;
  readonly type: string;
  /** The place of its first token. */
  readonly token: number;
}

/** The last block, with the definition before it: its title can go on. */
export function lastBlock(tokens: readonly Token[]): LastBlock | undefined {
  const starts = tokens.filter(({ level, nesting }) => level === 0 && nesting >= 0);
  const last = starts.at(-1);
  const before = starts.at(-2);
  const isDefined = before?.type === 'reference_definition' && before.map?.[1] === last?.map?.[0];
  const start = isDefined ? before : last;
  return start?.map ? { line: start.map[0], type: start.type, token: tokens.indexOf(start) } : undefined;
}

/** The block that a text consists of. `undefined` if there are several, or none. */
export function onlyBlock(tokens: readonly Token[]): Token | undefined {
  const groups = topLevel(tokens);
  return groups.length === 1 ? groups[0]?.[0] : undefined;
}

/** Where the last item of a list begins. 0 if the text is no list, or has no item before it. */
export function lastItem(tokens: readonly Token[], source: string): number {
  if (!onlyBlock(tokens)?.type.endsWith('_list_open')) return 0;
  const item = tokens.findLast(({ level, type }) => level === 1 && type === 'list_item_open');
  const [first] = tokens[0]?.map ?? [];
  const line = item?.map?.[0] ?? 0;
  return line === first ? 0 : lineStart(source, line);
}

/**
 * Where the item before the last one of a list with bullets begins. 0 if there would not be two items before it: two items
 * show whether there is space between the items of a list.
 */
export function itemBeforeLast(tokens: readonly Token[], source: string): number {
  if (onlyBlock(tokens)?.type !== 'bullet_list_open') return 0;
  const items = tokens.filter(({ level, type }) => level === 1 && type === 'list_item_open');
  return items.length < 4 ? 0 : lineStart(source, items.at(-2)?.map?.[0] ?? 0);
}

/** The lines with which a table begins, to repeat them. Empty if the text is no table. */
export function tableHead(tokens: readonly Token[], source: string): string {
  const table = onlyBlock(tokens);
  if (table?.type !== 'table_open' || !table.map || !source.endsWith('\n')) return '';
  const head = lines(source, [table.map[0], table.map[0] + 2]);
  return head.length <= maxHead ? head : '';
}

/** Code within a list or a quotation that the text does not end. */
export function openCode(tokens: readonly Token[], source: string, { width }: Container): Fence | undefined {
  const code = tokens.findLast(({ nesting }) => nesting === 0);
  if (code?.type !== 'fence' || code.level === 0 || !code.map) return undefined;
  const [start, end] = code.map;
  const isClosed = end - start > code.content.split('\n').length;
  if (isClosed || lineStart(source, end) < source.length) return undefined;
  const line = lines(source, [start, start + 1]);
  const column = line.indexOf(code.markup);
  const fence = openFence(line.slice(column));
  const indent = Math.max(0, column - width);
  return fence && { ...fence, indent, maxCloseIndent: indent + 3 };
}
