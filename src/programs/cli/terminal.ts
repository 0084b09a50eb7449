import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { onAbort } from '../../core/base/wait.ts';
import type { Context } from './context.ts';

interface Question {
  readonly text: string;
  readonly accepts: (line: string) => boolean;
  readonly answer: (line: string | undefined) => void;
}

/** The completions of what the user has typed. */
export type Completions = (typed: string) => readonly string[];

/**
 * Lines that the user types. Questions go to stderr. The latest of several open questions gets the next line. Ctrl-C
 * clears what is typed, or else interrupts the command.
 */
export class Terminal {
  readonly #context: Pick<Context, 'host' | 'interrupts'>;
  readonly #completions: Completions;
  readonly #questions: Question[] = [];
  /** Lines that came while there was no question. */
  readonly #early: string[] = [];
  #interface: Interface | undefined;

  constructor(context: Pick<Context, 'host' | 'interrupts'>, completions: Completions = () => []) {
    this.#context = context;
    this.#completions = completions;
  }

  /** The next line, which the user may have typed before. `undefined` at the end of the input, or after an abort. */
  async nextLine(question: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#early.shift() ?? (await this.answer(question, () => true, signal));
  }

  /**
   * A line that the user types after the question was shown. After a line that is not accepted the question is shown
   * again. `undefined` at the end of the input, or after an abort.
   */
  answer(text: string, accepts: Question['accepts'], signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted || this.#context.host.stdin.readableEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const stopListening = onAbort(signal, () => this.#settle(question, undefined));
      const question: Question = {
        text,
        accepts,
        answer: (line) => {
          stopListening();
          resolve(line);
        },
      };
      this.#questions.push(question);
      this.#show(question);
    });
  }

  /** Whether the user says yes. `false` at the end of the input, or after an abort. */
  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const said = await this.answer(`${question} y or n: `, (line) => /^\s*[yn]/i.test(line), signal);
    return said !== undefined && /^\s*y/i.test(said);
  }

  /** Writes something above an open question. */
  interject(write: () => void): void {
    const opened = this.#interface;
    if (!opened || this.#questions.length === 0) return write();
    // What the user has typed can have several rows.
    const { stderr } = this.#context.host;
    if (opened.terminal) {
      moveCursor(stderr, 0, -opened.getCursorPos().rows);
      cursorTo(stderr, 0);
      clearScreenDown(stderr);
    }
    write();
    // Readline moves up from the row where it last had the cursor.
    if (opened.terminal) stderr.write('\n'.repeat(opened.getCursorPos().rows));
    opened.prompt(true);
  }

  /** Ends the input. Open questions have no answer. */
  close(): void {
    this.#interface?.close();
  }

  #show({ text }: Question): void {
    this.#interface ??= this.#open();
    this.#interface.setPrompt(text);
    // What the user has typed of a line stays.
    this.#interface.prompt(true);
  }

  #settle(question: Question, line: string | undefined): void {
    const index = this.#questions.indexOf(question);
    if (index < 0) return;
    this.#questions.splice(index, 1);
    question.answer(line);
    const open = this.#questions.at(-1);
    if (open && index === this.#questions.length) this.#show(open);
  }

  #open(): Interface {
    const { host, interrupts } = this.#context;
    const completer = (typed: string): [string[], string] => [[...this.#completions(typed)], typed];
    const others = new Set(host.stderr.listeners('resize'));
    const opened = createInterface({ input: host.stdin, output: host.stderr, completer });
    insertPastesAtCursor(opened);
    // Readline shows the question again whenever the width changes, also in the middle of a turn.
    for (const listener of host.stderr.listeners('resize')) {
      // The types of Node have a listener as any function.
      if (!others.has(listener)) host.stderr.off('resize', listener as () => void);
    }
    const onResize = () => {
      if (this.#questions.length > 0) opened.prompt(true);
    };
    host.stderr.on('resize', onResize);
    opened.on('SIGINT', () => {
      if (opened.line !== '' && this.#questions.length > 0) clearLine(opened);
      else interrupts.press();
    });
    opened.on('line', (line) => {
      const question = this.#questions.at(-1);
      if (!question) this.#early.push(line);
      else if (question.accepts(line)) this.#settle(question, line);
      else this.#show(question);
    });
    opened.on('close', () => {
      this.#interface = undefined;
      host.stderr.off('resize', onResize);
      for (const { answer } of this.#questions.splice(0)) answer(undefined);
    });
    return opened;
  }
}

/**
 * While several characters come at once, readline switches completion off, and then appends them to the line wherever
 * the cursor is. That is right only at the end of the line.
 */
function insertPastesAtCursor(opened: Interface): void {
  let isEnabled = true;
  Object.defineProperty(opened, 'isCompletionEnabled', {
    get: () => isEnabled || opened.cursor < opened.line.length,
    set(value: boolean) {
      isEnabled = value;
    },
  });
}

/** Does what Ctrl-E and Ctrl-U do. */
function clearLine(opened: Interface): void {
  opened.write(null, { ctrl: true, name: 'e' });
  opened.write(null, { ctrl: true, name: 'u' });
}
