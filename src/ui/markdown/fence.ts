import { languageOf } from './parser.ts';

/** A block of code whose end has not been read. */
export interface Fence {
  readonly language: string;
  /** The mark with which it began: its character, and the length that its end has at least. */
  readonly mark: string;
  /** How many spaces are removed at the start of each line. */
  readonly indent: number;
  /** How many spaces can be before its end. */
  readonly maxCloseIndent: number;
}

const opening = /^( {0,3})(`{3,}|~{3,})/;
const closing = /^( *)(`{3,}|~{3,})[ \t]*\n?$/;

/** The fence with which a line begins code. */
export function openFence(line: string): Fence | undefined {
  const [start, spaces, mark] = opening.exec(line) ?? [];
  if (start === undefined || spaces === undefined || mark === undefined) return undefined;
  const info = line.slice(start.length);
  // A line such as ```` ```a``` ```` is code within a line.
  if (mark[0] === '`' && info.includes('`')) return undefined;
  return { language: languageOf(info), mark, indent: spaces.length, maxCloseIndent: 3 };
}

/** Whether a line ends the code. */
export function closesFence(line: string, { mark, maxCloseIndent }: Fence): boolean {
  const [, spaces = '', found = ''] = closing.exec(line) ?? [];
  return spaces.length <= maxCloseIndent && found.length >= mark.length && found[0] === mark[0];
}

/** A line of the code without the spaces before the fence. */
export function codeLine(line: string, { indent }: Fence): string {
  let start = 0;
  while (start < indent && line[start] === ' ') start++;
  return line.slice(start);
}
