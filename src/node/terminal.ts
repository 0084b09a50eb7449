import { type ExitStatus, type Launch, ProcessTree } from './process-tree.ts';
import { explainSpawnFailure } from './spawn-failure.ts';
import { readText } from './text-stream.ts';
import { TextTail } from './text-tail.ts';

/** A terminal as it is now. */
export interface TerminalView {
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** What is kept of the output: stdout and stderr, in the order in which they came. */
  readonly output: string;
  /** Whether the beginning of the output was cut off. */
  readonly truncated: boolean;
  /** Present once the command has ended and its output is complete. */
  readonly exitStatus: ExitStatus | undefined;
  /** Whether the agent has no more use for it. */
  readonly released: boolean;
}

/** What happens to a terminal. */
export type TerminalEvent =
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'exit'; readonly exitStatus: ExitStatus }
  | { readonly type: 'release' };

/** Is told what happens to a terminal. What it throws surfaces as an uncaught exception. */
export type TerminalListener = (event: TerminalEvent) => void;

export interface TerminalOptions {
  readonly terminalId: string;
  readonly launch: Launch;
  readonly shell: boolean;
  readonly outputByteLimit: number;
  readonly killAfterMs: number;
}

/** What a shell answers for a command that is not there. */
const commandNotFound: ExitStatus = { exitCode: 127, signal: null };

/** A command that runs for the agent, and its output. */
export class Terminal {
  /** Resolves when the command has ended and its output is complete. Never rejects. */
  readonly exited: Promise<ExitStatus>;
  readonly #options: TerminalOptions;
  readonly #tree: ProcessTree;
  readonly #output: TextTail;
  readonly #listeners = new Set<TerminalListener>();
  #exitStatus: ExitStatus | undefined;
  #released = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#output = new TextTail(options.outputByteLimit);
    this.#tree = new ProcessTree({ ...options, stdin: 'ignore' });
    for (const stream of [this.#tree.stdout, this.#tree.stderr]) {
      readText(stream, (text) => {
        this.#output.push(text);
        this.#tell({ type: 'output', text });
      });
    }
    this.exited = this.#exit();
  }

  /** Why the command could not be started; nothing if it was. */
  async startFailure(): Promise<{ readonly code: string | undefined; readonly message: string } | undefined> {
    if (this.#tree.pid !== undefined) return undefined;
    const outcome = await this.#tree.outcome;
    if (!('failure' in outcome)) return undefined;
    const message = await explainSpawnFailure(outcome.failure, this.#options.launch);
    return { code: outcome.failure.code, message };
  }

  view(): TerminalView {
    const { terminalId, launch } = this.#options;
    return {
      terminalId,
      command: launch.command,
      args: launch.args,
      cwd: launch.cwd,
      output: this.#output.text(),
      truncated: this.#output.truncated,
      exitStatus: this.#exitStatus,
      released: this.#released,
    };
  }

  subscribe(listener: TerminalListener): () => void {
    // A function of its own, so that one listener may be added twice.
    const own: TerminalListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Ends the command and whatever it started: asks, then forces. Resolves when all of it has ended. */
  async kill(): Promise<void> {
    await this.#tree.stop(0);
    await this.exited;
  }

  async release(): Promise<void> {
    this.#released = true;
    await this.kill();
    this.#tell({ type: 'release' });
    this.#listeners.clear();
  }

  async #exit(): Promise<ExitStatus> {
    const outcome = await this.#tree.outcome;
    await this.#tree.drained();
    // On Windows it shows only after the start that there was no such command.
    this.#exitStatus = 'status' in outcome ? outcome.status : commandNotFound;
    this.#tell({ type: 'exit', exitStatus: this.#exitStatus });
    return this.#exitStatus;
  }

  #tell(event: TerminalEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        // The listener's mistake is nobody's here to handle: it surfaces as it would from any event.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
