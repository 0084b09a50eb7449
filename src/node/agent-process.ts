import { type DiagnosticListener, errorMessage } from '../diagnostic.ts';
import { type AgentExit, MessageTooLargeError, SpawnError } from '../errors.ts';
import { NdjsonWriter } from '../transport/ndjson.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { settlesWithin } from '../wait.ts';
import { AgentReader } from './agent-reader.ts';
import { type Breach, exitError } from './exit-error.ts';
import { type Launch, ProcessTree } from './process-tree.ts';
import { explainSpawnFailure } from './spawn-failure.ts';
import { stdinSink } from './stdin-sink.ts';
import { readText } from './text-stream.ts';
import { TextTail } from './text-tail.ts';

/**
 * A running agent: the channel to it, and its end. Pass it to `connect`.
 *
 * The end is told in order: {@link drained}, then {@link ended}, on which a connection settles what is open, then
 * {@link reaped}.
 */
export interface AgentProcess extends Transport, AsyncDisposable {
  /** The number of the process, which leads a process group of its own; absent when it could not be started. */
  readonly pid: number | undefined;
  /** How the program ended; absent while it runs, and when it could not be started. */
  readonly exit: AgentExit | undefined;
  /** Resolves when all that the agent wrote has been read, and delivered to whoever listens. Never rejects. */
  readonly drained: Promise<void>;
  /**
   * Resolves when the agent's output is drained and its program has ended. Never rejects: `error` is a `SpawnError`,
   * an `ExitError` or a `MessageTooLargeError`, or is absent when the end was asked for with {@link close}.
   */
  readonly ended: Promise<TransportEnd>;
  /** Resolves when the program and everything it started in its process group have ended. Never rejects. */
  readonly reaped: Promise<void>;
  /**
   * Ends the agent: closes its input, asks it to end with SIGTERM if it goes on, and kills it if it still does. The
   * times are `shutdown` in the options. Resolves when it is reaped. Calling it again changes nothing.
   */
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly launch: Launch;
  readonly maxLineBytes: number;
  readonly stderrTailBytes: number;
  readonly onStderr: ((text: string) => void) | undefined;
  readonly graceMs: number;
  readonly killAfterMs: number;
}

/** How much is kept of what comes before the first message, in bytes: it is only shown where there is no message. */
const noiseTailBytes = 2048;
/** How long an agent that closed one end of its channel may take to end by itself. */
const lingerMs = 500;
/** How long what has been read may wait for its listener, before the end is told all the same. */
const maxDeliveryMs = 10_000;

/** What shows first that the channel is at its end: the end of the program, or what it did before. */
type Sign = 'end' | Breach | MessageTooLargeError;

export class ChildAgent implements AgentProcess {
  readonly reader: AgentReader;
  readonly writer: NdjsonWriter;
  readonly drained: Promise<void>;
  readonly ended: Promise<TransportEnd>;
  readonly reaped: Promise<void>;
  readonly #launch: Launch;
  readonly #tree: ProcessTree;
  readonly #stderrTail: TextTail;
  readonly #noise = new TextTail(noiseTailBytes);
  readonly #graceMs: number;
  onActivity: (() => void) | undefined;
  #exit: Pick<AgentExit, 'exitCode' | 'signal'> | undefined;
  #closing: Promise<void> | undefined;
  /** Whether the end had been asked for when its first sign was seen. */
  #asked: boolean | undefined;

  constructor({ launch, maxLineBytes, stderrTailBytes, onStderr, graceMs, killAfterMs }: AgentOptions) {
    this.#launch = launch;
    this.#graceMs = graceMs;
    this.#stderrTail = new TextTail(stderrTailBytes);
    const tree = new ProcessTree({ launch, stdin: 'pipe', shell: false, killAfterMs });
    this.#tree = tree;
    void tree.outcome.then((outcome) => {
      if ('status' in outcome) this.#exit = outcome.status;
    });
    readText(tree.stderr, (text) => {
      this.onActivity?.();
      this.#stderrTail.push(text);
      if (onStderr) this.#tell(onStderr, text);
    });

    let sign: (sign: Sign) => void = () => {};
    const firstSign = new Promise<Sign>((resolve) => {
      sign = (first) => {
        // Noted at once: whoever sees the channel end closes it, which does not make the end an orderly one.
        this.#asked ??= this.#closing !== undefined;
        resolve(first);
      };
    });
    void tree.outcome.then(() => sign('end'));
    this.reader = new AgentReader(tree.stdout, { maxLineBytes });
    tree.stdout.on('data', (chunk: Buffer) => {
      this.onActivity?.();
      if (!this.reader.spoke) this.#noise.push(chunk.toString());
    });
    this.reader.onError((error) => {
      if (error instanceof MessageTooLargeError) sign(error);
    });
    tree.stdout.once('end', () => sign('stdout'));
    tree.stdout.once('close', () => sign('stdout'));

    this.drained = this.#drain();
    this.ended = this.#end(firstSign);
    this.reaped = Promise.all([this.ended, tree.reaped]).then(() => {});
    this.writer = new NdjsonWriter(stdinSink(tree.stdin, this.ended, () => sign('stdin')));
  }

  get pid(): number | undefined {
    return this.#tree.pid;
  }

  get exit(): AgentExit | undefined {
    return this.#exit && { ...this.#exit, stderrTail: this.#stderrTail.text() };
  }

  get onDiagnostic(): DiagnosticListener | undefined {
    return this.reader.onDiagnostic;
  }

  set onDiagnostic(listener: DiagnosticListener | undefined) {
    this.reader.onDiagnostic = listener;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#tree.stdin.end();
    await this.#tree.stop(this.#graceMs);
    await this.reaped;
  }

  async #drain(): Promise<void> {
    const { reader } = this;
    const { stdout } = this.#tree;
    await this.#tree.drained(() => reader.listening && stdout.isPaused());
    await settlesWithin(reader.delivered(), maxDeliveryMs);
  }

  async #end(firstSign: Promise<Sign>): Promise<TransportEnd> {
    const sign = await firstSign;
    const asked = this.#asked;
    const breach = asked || sign === 'end' ? undefined : await this.#stopAfter(sign);
    const outcome = await this.#tree.outcome;
    await this.drained;
    if ('failure' in outcome) return { error: await this.#spawnError(outcome.failure) };
    const exit: AgentExit = { ...outcome.status, stderrTail: this.#stderrTail.text() };
    if (asked) return { exit };
    if (breach instanceof MessageTooLargeError) return { error: breach, exit };
    const noise = this.reader.spoke ? undefined : this.#noise.text();
    return { error: exitError(this.#launch.command, exit, { breach, noise }), exit };
  }

  /** Stops an agent with which nothing more can be said, and returns why; nothing if it ended by itself in time. */
  async #stopAfter(
    breach: Breach | MessageTooLargeError,
  ): Promise<Breach | MessageTooLargeError | undefined> {
    const endsByItself = !(breach instanceof MessageTooLargeError);
    if (endsByItself && (await settlesWithin(this.#tree.outcome, lingerMs))) return undefined;
    void this.#tree.stop(0);
    return breach;
  }

  async #spawnError(failure: NodeJS.ErrnoException): Promise<SpawnError> {
    const { command, args, cwd } = this.#launch;
    const message = await explainSpawnFailure(failure, this.#launch);
    return new SpawnError(message, { command, args, cwd, errno: failure.code, cause: failure });
  }

  #tell(onStderr: (text: string) => void, text: string): void {
    try {
      onStderr(text);
    } catch (error) {
      this.onDiagnostic?.({
        rule: 'subscriber.failed',
        severity: 'error',
        message: `onStderr threw: ${errorMessage(error)}`,
      });
    }
  }
}
