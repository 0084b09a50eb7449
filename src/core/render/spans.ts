import { TextBuffer } from '../conversation/text-buffer.ts';
import { asInTerminal, clean } from './clean.ts';
import { type DiffLine, looks } from './patch-sections.ts';

/** A run of text in one style. */
export interface Span {
  /**
   * Parameters of the escape sequence "select graphic rendition", with a semicolon before each: `;31;1` is red and
   * bold. Contains only the numbers known here, never text from the agent.
   */
  readonly sgr: string;
  readonly text: string;
}

/** The spans in one format. */
export function joined(spans: Iterable<Span>, format: (span: Span) => string): string {
  const result = new TextBuffer();
  for (const span of spans) result.push(format(span));
  return result.take();
}

/**
 * Terminal output in color and bold. Other styles are dropped, and bright colors become normal colors. A line that
 * was overwritten after a carriage return shows its last text.
 */
export function terminalSpans(output: string): Span[] {
  let color = '';
  let bold = '';
  return (
    asInTerminal(output)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches escape sequences
      .split(/\x1b\[([\d;]*)m/)
      .flatMap((piece, index) => {
        if (index % 2 === 0) return { sgr: color + bold, text: clean(piece) };
        // Palette and RGB colors are shown in the default color.
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

/** The lines of a diff, in color. */
export function* diffSpans(lines: readonly DiffLine[]): Iterable<Span> {
  for (const { change, text } of lines) {
    const { sign, sgr } = looks[change];
    yield { sgr, text: `${sign}${text}\n` };
  }
}
