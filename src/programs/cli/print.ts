import type { Diagnostic, DiagnosticListener } from '../../core/base/diagnostic.ts';
import { deferred } from '../../core/base/wait.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { columnsOf } from '../../core/render/columns.ts';
import { aroundLines, wrapLines } from '../../core/render/lines.ts';
import { CommandError, usageError } from './errors.ts';

/** Error codes of a pipe whose reader has ended, as `head` does. */
const readerEnded: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** Writes results to stdout and everything else to stderr. */
export class Output {
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Whether stdout shows colors. */
  readonly color: boolean;
  /** The same of stderr. */
  readonly noteColor: boolean;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  readonly #movesCursor: boolean;
  #status = '';
  /** What stdout has after its last line end. */
  #openLine = '';
  /** When a text was written last, as `performance.now()` counts. */
  writtenAt = performance.now();
  readonly #unread = deferred();
  /** Resolves when nothing reads stdout any more, as after `| head -1`. */
  readonly unread = this.#unread.promise;

  constructor({ stdout, stderr, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTerminal = stdout.isTTY === true;
    this.#movesCursor = stderr.isTTY === true && env['TERM'] !== 'dumb';
    this.color = showsColor(env, this.isTerminal);
    this.noteColor = showsColor(env, stderr.isTTY === true);
    // The callback of `write` gets the same error.
    stdout.on('error', () => {});
    stderr.on('error', () => {});
  }

  /** Whether the last text of stdout has no line end. */
  get isLineOpen(): boolean {
    return this.#openLine !== '';
  }

  /** Whether {@link status} shows something. */
  get showsStatus(): boolean {
    return this.noteWidth !== undefined && this.#movesCursor;
  }

  /** Columns of the terminal; `undefined` if stdout is not a terminal. */
  get width(): number | undefined {
    return terminalWidth(this.#stdout);
  }

  /** The same of stderr. */
  get noteWidth(): number | undefined {
    return terminalWidth(this.#stderr);
  }

  /**
   * Writes a result. Resolves when it is written, or when nothing reads it any more.
   *
   * @throws {@link CommandError} for any other failure, such as a full disk.
   */
  async result(text: string): Promise<void> {
    this.#beginText();
    const end = text.lastIndexOf('\n') + 1;
    this.#openLine = end > 0 ? text.slice(end) : this.#openLine + text;
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (!error) return resolve();
        if (readerEnded.has(error.code)) {
          this.#unread.resolve();
          return resolve();
        }
        reject(usageError(`The result cannot be written to stdout: ${error.message}.`));
      });
    });
  }

  /** Writes lines to stderr, wrapped at the width of the terminal and without control characters. */
  note(text: string): void {
    this.rendered(wrapLines(clean(text), this.noteWidth ?? Number.POSITIVE_INFINITY));
  }

  /** Writes to stderr what is clean already. It can have the colors of a renderer. */
  rendered(text: string): void {
    this.#beginText();
    if (this.#isBehindText) void this.result('\n');
    this.#stderr.write(`${text}\n`);
  }

  /**
   * Shows one line on stderr that the next output replaces, below a line of stdout that is open. Does nothing if stderr is
   * not a terminal, or a dumb one.
   */
  status(text: string): void {
    const { noteWidth: columns = 0 } = this;
    if (!this.showsStatus || text === this.#status) return;
    const line = clean(text).slice(0, columns - 1);
    const room = this.#status === '' ? roomBelow(this.#openLine, columns) : '';
    this.#status = text;
    // The cursor returns behind the open line.
    this.#stderr.write(this.#isBehindText ? `${room}\x1b7\r\x1b[B\x1b[J${line}\x1b8` : `\r\x1b[K${line}`);
  }

  /** Whether the cursor of stderr is behind an open line of stdout: a terminal shows both streams. */
  get #isBehindText(): boolean {
    return this.isLineOpen && this.isTerminal && this.#stderr.isTTY === true;
  }

  #beginText(): void {
    this.status('');
    this.writtenAt = performance.now();
  }
}

/** Makes a row below the cursor, which stays where it is. At the bottom of the screen, this scrolls. */
function roomBelow(openLine: string, columns: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of the renderer
  const used = columnsOf(openLine.replace(/\x1b\[[\d;]*m/g, '')) % columns;
  // Behind a full row, the next character begins another one. A movement of the cursor would forget that.
  return `${used === 0 ? ' \b' : ''}\x1bD\x1b[A`;
}

function terminalWidth({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY === true ? columns || 80 : undefined;
}

/** @see https://no-color.org and https://force-color.org */
function showsColor({ FORCE_COLOR, NO_COLOR, TERM }: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  return isTerminal && TERM !== 'dumb';
}

const maxDiagnostics = 10;

/** Prints the first diagnostics. `finish` prints how many more there were: a faulty agent can cause thousands. */
export function diagnosticPrinter(output: Output): { report: DiagnosticListener; finish: () => void } {
  let count = 0;
  const report = ({ severity, message, received }: Diagnostic) => {
    if (severity === 'info' || ++count > maxDiagnostics) return;
    output.note(`${severity}: ${cleanLine(message)}`);
    if (received !== undefined) output.note(`  received: ${cleanLine(received)}`);
  };
  const finish = () => {
    if (count > maxDiagnostics) output.note(`… and ${count - maxDiagnostics} more warnings.`);
  };
  return { report, finish };
}

/**
 * Rows as lines, in columns. If a line is wider than `width`, each row becomes a paragraph instead: the first cell,
 * and below it the other cells, wrapped and indented.
 */
export function fitTable(
  rows: readonly (readonly string[])[],
  width: number = Number.POSITIVE_INFINITY,
  paint: Paint = (cell) => cell,
): string {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => columnsOf(row[index] ?? ''))),
  );
  const pad = (cell: string, index: number) => ' '.repeat((widths[index] ?? 0) - columnsOf(cell));
  const line = (row: readonly string[], look: Paint) =>
    row
      .map((cell, index) => look(cell, index, row) + pad(cell, index))
      .join('  ')
      .trimEnd();
  const fits = rows.every((row) => columnsOf(line(row, (cell) => cell)) <= width);
  return rows.map((row) => `${fits ? line(row, paint) : paragraph(row, width, paint)}\n`).join('');
}

function paragraph(row: readonly string[], width: number, paint: Paint): string {
  const [first = '', ...cells] = row;
  const rest = cells.filter((cell) => cell !== '').join(' · ');
  const indent = `${/^ */.exec(first)?.[0] ?? ''}  `;
  const shown = paint(first, 0, row);
  return rest === '' ? shown : `${shown}\n${paint(wrapLines(`${indent}${rest}`, width), row.length, row)}`;
}

/** How a cell of a table looks. */
export type Paint = (cell: string, column: number, row: readonly string[]) => string;

/** Gives the columns of a table their attributes, such as `;1` for bold and `;2` for dim. */
export function columnPaint(output: Pick<Output, 'color'>, ...sgrs: readonly string[]): Paint {
  return (cell, column) => painted(cell, sgrs[column] ?? '', output);
}

/** A text of one or more lines with attributes, if stdout shows colors. */
export function painted(part: string, sgr: string, { color }: Pick<Output, 'color'>): string {
  return color && part !== '' && sgr !== '' ? aroundLines(part, `\x1b[0${sgr}m`, '\x1b[0m') : part;
}

/**
 * Characters that JSON does not escape, and that control a terminal, reorder text or cannot be seen: with the marks of
 * zero width also the tag characters, as the two code units that each of them is.
 */
const unsafeInJson =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each code unit is meant by itself
  /[\x7f-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g;

/** JSON of a value, safe to show on a terminal: on several lines, or on one with the indent 0. */
export function toJson(value: unknown, indent = 2): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const json = JSON.stringify(value, null, indent);
  return `${json.replace(unsafeInJson, (found) => found.replace(/[\s\S]/g, escaped))}\n`;
}
