import { clean } from './clean.ts';

/** A run of text in one style. */
export interface Span {
  /**
   * What a terminal's "select graphic rendition" takes, a semicolon before each: `;31;1` is red and bold. Made from
   * the numbers known here, never as the agent sent it.
   */
  readonly sgr: string;
  readonly text: string;
}

/**
 * What a program printed to a terminal, in colour and bold; other styles are dropped, and a bright colour is shown as
 * the plain one. A line written over after a carriage return keeps only its last text.
 */
export function terminalSpans(output: string): Span[] {
  let color = '';
  let bold = '';
  return (
    output
      .split('\n')
      .map((line) => line.slice(line.trimEnd().lastIndexOf('\r') + 1))
      .join('\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what this is about
      .split(/\x1b\[([\d;]*)m/)
      .flatMap((piece, index) => {
        if (index % 2 === 0) return { sgr: color + bold, text: clean(piece) };
        // A colour from the palette, or of red, green and blue, is shown as the default.
        for (const code of piece.replace(/[34]8;(5|2;\d+;\d+);\d+/g, '39').split(';')) {
          if (/^[39][0-7]$/.test(code)) color = `;3${code[1]}`;
          else if (code === '39') color = '';
          else if (code === '22') bold = '';
          else if (code === '1') bold = ';1';
          else if (!Number(code)) color = bold = '';
        }
        return [];
      })
  );
}

/** A diff, a span a line, coloured by the line's first character. */
export function diffSpans(diff: unknown): Span[] {
  return (clean(diff).match(/[^\n]*\n?/g) ?? []).map((text) => ({
    sgr: { '+': ';32', '-': ';31', '@': ';36' }[text.charAt(0)] ?? '',
    text,
  }));
}
