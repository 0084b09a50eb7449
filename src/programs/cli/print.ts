import type { Diagnostic, DiagnosticListener } from '../../core/base/diagnostic.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { columnsOf } from '../../core/render/columns.ts';
import { wrapLines } from '../../core/render/lines.ts';
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
  /** Whether the last text of stdout has no line end. */
  isLineOpen = false;
  #markUnread: () => void = () => {};
  /** Resolves when nothing reads stdout any more, as after `| head -1`. */
  readonly unread = new Promise<void>((resolve) => {
    this.#markUnread = resolve;
  });

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
    this.status('');
    if (text !== '') this.isLineOpen = !text.endsWith('\n');
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (!error) return resolve();
        if (readerEnded.has(error.code)) {
          this.#markUnread();
          return resolve();
        }
        reject(usageError(`The result cannot be written to stdout: ${error.message}.`));
      });
    });
  }

  /** Writes lines to stderr, wrapped at the width of the terminal and without control characters. */
  note(text: string): void {
    this.verbatim(wrapLines(clean(text), this.noteWidth ?? Number.POSITIVE_INFINITY));
  }

  /** Writes lines to stderr as they are, without control characters. */
  verbatim(text: string): void {
    this.rendered(clean(text));
  }

  /** Writes to stderr what a renderer of the library returned: it is clean, and can have the colors of the renderer. */
  rendered(text: string): void {
    this.status('');
    // A terminal shows both streams.
    if (this.isLineOpen && this.isTerminal && this.#stderr.isTTY) void this.result('\n');
    this.#stderr.write(`${text}\n`);
  }

  /** Shows one line on stderr that the next output replaces. Does nothing if stderr is not a terminal, or a dumb one. */
  status(text: string): void {
    const columns = this.noteWidth;
    if (columns === undefined || !this.#movesCursor || text === this.#status) return;
    this.#status = text;
    this.#stderr.write(`\r\x1b[K${clean(text).slice(0, columns - 1)}`);
  }
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
): string {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => columnsOf(row[index] ?? ''))),
  );
  const pad = (cell: string, index: number) => cell + ' '.repeat((widths[index] ?? 0) - columnsOf(cell));
  const lines = rows.map((row) => row.map(pad).join('  ').trimEnd());
  const fits = lines.every((line) => columnsOf(line) <= width);
  return (fits ? lines : rows.map((row) => paragraph(row, width))).map((line) => `${line}\n`).join('');
}

function paragraph([first = '', ...cells]: readonly string[], width: number): string {
  const rest = cells.filter((cell) => cell !== '').join(' · ');
  const indent = `${/^ */.exec(first)?.[0] ?? ''}  `;
  return rest === '' ? first : `${first}\n${wrapLines(`${indent}${rest}`, width)}`;
}

/**
 * Characters that JSON does not escape, and that control a terminal, reorder text or cannot be seen: with the marks of
 * zero width also the tag characters, as the two code units that each of them is.
 */
const unsafeInJson =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each code unit is meant by itself
  /[\x7f-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g;

/** JSON of a value, safe to show on a terminal. */
export function toJson(value: unknown): string {
  return `${withoutUnsafe(JSON.stringify(value, null, 2))}\n`;
}

/** The same on one line. */
export function toJsonLine(value: unknown): string {
  return `${withoutUnsafe(JSON.stringify(value))}\n`;
}

function withoutUnsafe(json: string): string {
  return json.replace(unsafeInJson, (found) => found.replace(/[\s\S]/g, escaped));
}

function escaped(codeUnit: string): string {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
