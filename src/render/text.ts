import type { Conversation } from '../model/conversation.ts';
import { outline } from './outline.ts';

/** For what kind of terminal the text is. */
export interface TextOptions {
  /** Columns to wrap prose at; default 80. Verbatim text, such as code, is never wrapped. */
  readonly width?: number;
  /** Whether to colour for a terminal; default `false`. */
  readonly color?: boolean;
}

/**
 * The transcript for a terminal.
 *
 * Nothing in it acts there: the agent's escape sequences and control characters are gone, and the only escape
 * sequences, with `color`, are the colours set here. What the agent wrote is indented, so that it cannot pass for
 * a heading.
 *
 * @example process.stdout.write(renderText(conversation, { width: process.stdout.columns, color: true }))
 */
export function renderText(conversation: Conversation, options: TextOptions = {}): string {
  const { width = 80, color = false } = options;
  const paint = (sgr: string, text: string): string =>
    color && sgr ? text.replace(/[^\n]+/g, `\x1b[0${sgr}m$&\x1b[0m`) : text;
  const sections = outline(conversation, {
    prose: (text) => wrap(text, width - 2),
    label: (text) => paint(';2', wrap(text, width - 2)),
    code: (spans) => indented(spans.map(({ sgr, text }) => paint(sgr, text)).join('')).trimEnd(),
  });
  const blocks = sections.map(({ role, title, body }) => {
    const heading = paint(role === 'user' ? ';1;36' : ';1', title);
    return `${heading}\n${indented(paint(role === 'thought' ? ';2' : '', body))}`.trimEnd();
  });
  return `${blocks.join('\n\n')}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=[^\n])/gm, '  ');
}

/** Breaks lines at spaces; what follows a bullet is indented as far as it. A longer word stays whole, to be copied. */
function wrap(text: string, columns: number): string {
  return text.replace(/[^\n]+/g, (line) => {
    const indent = (/^ {0,9}([-*] )?/.exec(line)?.[0] ?? '').replace(/./g, ' ');
    let used = 0;
    return line.replace(/ ?[^ ]+| /g, (word) => {
      const breaks = used > indent.length && used + word.length > columns;
      used = (breaks ? indent.length : used) + word.length;
      return breaks ? `\n${indent}${word.trimStart()}` : word;
    });
  });
}
