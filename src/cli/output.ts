import { clean } from '../render/clean.ts';
import { UnusableFile } from './wrong-usage.ts';

/** What the command line writes to: results to stdout, everything else to stderr. */
export class Output {
  /** Whether somebody watches stdout. */
  readonly isWatched: boolean;
  /** Whether stdout takes colours. */
  readonly color: boolean;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  #status = '';

  constructor({ stdout, stderr, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isWatched = stdout.isTTY === true;
    this.color = takesColor(env, this.isWatched);
    // What cannot be written is told to whoever writes it.
    stdout.on('error', () => {});
    stderr.on('error', () => {});
  }

  /** Columns of the terminal; absent where there is none. */
  get width(): number | undefined {
    return this.isWatched && this.#stdout.columns > 0 ? this.#stdout.columns : undefined;
  }

  /**
   * Writes a result. Resolves when it is written.
   *
   * @throws {@link UnusableFile} if it cannot be, as on a full disk. That whoever reads has had enough, as `head`
   * does, is no fault.
   */
  async result(text: string): Promise<void> {
    this.status('');
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (!error || unread.has(error.code)) resolve();
        else reject(new UnusableFile(`The result cannot be written to stdout: ${error.message}.`));
      });
    });
  }

  /** Says something beside the result, on lines of its own. Nothing in it acts on the terminal. */
  note(text: string): void {
    this.status('');
    this.#stderr.write(`${clean(text)}\n`);
  }

  /** Shows how far things are, on one line that the next takes the place of. Only a terminal is shown it. */
  status(text: string): void {
    if (this.#stderr.isTTY !== true || text === this.#status) return;
    this.#status = text;
    this.#stderr.write(`\r\x1b[K${clean(text).slice(0, (this.#stderr.columns || 80) - 1)}`);
  }

  /** Whether {@link status} is shown to anybody. */
  get showsStatus(): boolean {
    return this.#stderr.isTTY === true;
  }
}

/** What the system answers when nobody reads any more. */
const unread: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** https://no-color.org and https://force-color.org; a terminal that can do nothing says `dumb`. */
function takesColor({ FORCE_COLOR, NO_COLOR, TERM }: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  return isTerminal && TERM !== 'dumb';
}
