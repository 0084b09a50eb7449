import { callListener, ListenerSet } from '../../core/base/listeners.ts';
import type { ProcessExit } from '../../core/base/process-exit.ts';
import type { TerminalChange } from '../../core/client/requests/handlers.ts';
import { readText } from '../process/drain.ts';
import { ProcessTree, type TreeOptions } from '../process/process-tree.ts';
import { explainSpawnFailure } from '../process/spawn-failure.ts';
import { TextTail } from '../process/text-tail.ts';

/** The state of a terminal at one time. */
export interface TerminalView {
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The kept output of stdout and stderr, in the order in which it arrived. */
  readonly output: string;
  /** Whether the beginning of the output was removed. */
  readonly truncated: boolean;
  /** Present after the command has exited and its output is complete. */
  readonly exitStatus: ProcessExit | undefined;
  /** Whether the agent has released the terminal. */
  readonly released: boolean;
}

/** Called with each change of a terminal. An error that it throws becomes an uncaught exception. */
export type TerminalListener = (event: TerminalChange) => void;

export interface TerminalOptions extends Pick<TreeOptions, 'launch' | 'shell' | 'killAfterMs'> {
  readonly terminalId: string;
  readonly outputByteLimit: number;
  /** Takes memory for the output. Returns the size that it may have. */
  readonly growOutput: (fromBytes: number, toBytes: number) => number;
}

/** The exit of a shell that does not find the command. */
const commandNotFound: ProcessExit = { exitCode: 127, signal: null };

/** A command that runs for the agent, and its output. */
export class Terminal {
  /** Resolves when the command has exited and its output is complete. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  readonly #options: TerminalOptions;
  readonly #tree: ProcessTree;
  readonly #output: TextTail;
  readonly #listeners = new ListenerSet<[TerminalChange]>(throwAsUncaught);
  #exitStatus: ProcessExit | undefined;
  #released = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#output = new TextTail(options.outputByteLimit, options.growOutput);
    this.#tree = new ProcessTree({ ...options, stdin: 'ignore', mayExit: true, daemons: 'spare' });
    for (const stream of [this.#tree.stdout, this.#tree.stderr]) {
      readText(stream, (text) => {
        this.#output.push(text);
        this.#listeners.notify({ type: 'output', text });
      });
    }
    this.exited = this.#exit();
  }

  /** The reason why the command did not start, or `undefined` if it started. */
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

  /** Whether the command has exited and its output is complete. */
  get hasExited(): boolean {
    return this.#exitStatus !== undefined;
  }

  /** Removes the output. Returns how many bytes of memory this frees. */
  discardOutput(): number {
    return this.#output.discard();
  }

  /**
   * Calls the listener with what happened so far, then with each change, but not before it has returned the function
   * that removes the listener.
   */
  subscribe(listener: TerminalListener): () => void {
    let isRemoved = false;
    let stop = () => {
      isRemoved = true;
    };
    queueMicrotask(() => {
      for (const change of this.#soFar()) {
        if (!isRemoved) callListener(() => listener(change), throwAsUncaught);
      }
      if (!isRemoved) stop = this.#listeners.add(listener);
    });
    return () => stop();
  }

  #soFar(): readonly TerminalChange[] {
    const text = this.#output.text();
    const exitStatus = this.#exitStatus;
    return [
      ...(text === '' ? [] : [{ type: 'output' as const, text }]),
      ...(exitStatus ? [{ type: 'exit' as const, exitStatus }] : []),
    ];
  }

  /** Ends the command and everything that it started: with SIGTERM, then SIGKILL. Resolves when all have exited. */
  async kill(): Promise<void> {
    await this.#tree.kill();
    await this.exited;
  }

  /** Kills the command. The last event is `release`. */
  async release(): Promise<void> {
    this.#released = true;
    await this.kill();
    this.#listeners.notify({ type: 'release' });
  }

  async #exit(): Promise<ProcessExit> {
    const outcome = await this.#tree.outcome;
    await this.#tree.drained();
    // On Windows a missing command fails only after the start.
    this.#exitStatus = 'status' in outcome ? outcome.status : commandNotFound;
    this.#listeners.notify({ type: 'exit', exitStatus: this.#exitStatus });
    return this.#exitStatus;
  }
}

function throwAsUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
