import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { codeOf, listenerFailed } from '../../core/base/diagnostic.ts';
import { type AgentExit, MessageTooLargeError } from '../../core/base/errors.ts';
import { callListener } from '../../core/base/listeners.ts';
import type { ProcessExit } from '../../core/base/process-exit.ts';
import { deferred, settlesWithin } from '../../core/base/wait.ts';
import { type ByteOutput, inputFrom } from '../../core/transport/byte-streams.ts';
import { LineReader, LineWriter } from '../../core/transport/ndjson.ts';
import type { Transport, TransportEnd, TransportListener } from '../../core/transport/transport.ts';
import { variableIn } from '../environment/merge.ts';
import { readText } from './drain.ts';
import { type ClosedStream, exitError } from './exit-error.ts';
import { ProcessTree, type TreeOptions } from './process-tree.ts';
import { spawnErrorOf } from './spawn-error.ts';
import type { Launch } from './start-program.ts';
import { TextTail } from './text-tail.ts';

/**
 * A running agent. Pass it to `connect`.
 *
 * Its end resolves three promises in this order: {@link drained}, {@link ended} and {@link reaped}. A connection
 * settles its open calls after `ended`.
 */
export interface SpawnedAgent extends Transport, AsyncDisposable {
  /** The process id, which is also the id of its process group. Absent if the program could not be started. */
  readonly pid: number | undefined;
  /** How the program exited. Absent while it runs, and if it could not be started. */
  readonly exit: AgentExit | undefined;
  /** Resolves when everything that the agent wrote was read, and delivered if there is a listener. Never rejects. */
  readonly drained: Promise<void>;
  /**
   * Resolves when the agent's output is drained and its program has exited. If {@link close} was not called first, also
   * waits up to five seconds for {@link reaped}. Never rejects. `error` is a `SpawnError`, an `ExitError` or a
   * `MessageTooLargeError`. It is absent if `close` was called first.
   */
  readonly ended: Promise<TransportEnd>;
  /** Resolves when the program and everything that it started have exited. Never rejects. */
  readonly reaped: Promise<void>;
  /**
   * Ends the agent: closes its input, then sends SIGTERM, then SIGKILL. The option `shutdown` has the times between
   * them. Resolves like {@link reaped}. Idempotent.
   */
  close(): Promise<void>;
}

export interface AgentOptions extends Pick<TreeOptions, 'launch' | 'killAfterMs' | 'daemons'> {
  readonly maxLineBytes: number;
  readonly stderrTailBytes: number;
  readonly onStderr: ((text: string) => void) | undefined;
  readonly graceMs: number;
}

/** How much of the output before the first message is kept for errors, in bytes. */
const strayOutputBytes = 2048;
/** How long an agent that closed its input or output may take to exit by itself, in milliseconds. */
const lingerMs = 500;
/** How long the end waits for the listener to take what was read, in milliseconds. */
const maxDeliveryMs = 10_000;
/** How long the end waits for what a crashed agent left behind, in milliseconds. The system can be unable to end it. */
const maxReapMs = 5000;

/** An event of the end: the program exited, closed a stream, or sent a message that is too large. */
type EndCause = 'exit' | ClosedStream | MessageTooLargeError;

/** The first event of the end, and whether `close` was called before it. */
interface FirstEnd {
  readonly cause: EndCause;
  readonly wasClosed: boolean;
}

export class ChildAgent implements SpawnedAgent {
  readonly drained: Promise<void>;
  readonly ended: Promise<TransportEnd>;
  readonly reaped: Promise<void>;
  /** The end of the program has limits of its own, some of which the user sets. */
  readonly closeTimeoutMs = Number.POSITIVE_INFINITY;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #launch: Launch;
  readonly #tree: ProcessTree;
  readonly #stderrTail: TextTail;
  readonly #strayOutput = new TextTail(strayOutputBytes);
  readonly #graceMs: number;
  agentName: string | undefined;
  #listener: TransportListener | undefined;
  /** Whether a message was delivered. */
  #sentMessage = false;
  #exit: ProcessExit | undefined;
  #closing: Promise<void> | undefined;

  constructor({ launch, maxLineBytes, stderrTailBytes, onStderr, graceMs, ...end }: AgentOptions) {
    this.#launch = launch;
    this.#graceMs = graceMs;
    this.#stderrTail = new TextTail(stderrTailBytes);
    const tree = new ProcessTree({ launch, stdin: 'pipe', ...end });
    this.#tree = tree;
    const onStderrFailed = listenerFailed('onStderr', (diagnostic) =>
      this.#listener?.onDiagnostic(diagnostic),
    );
    readText(tree.stderr, (text) => {
      this.#listener?.onActivity();
      this.#stderrTail.push(text);
      if (onStderr) callListener(() => onStderr(text), onStderrFailed);
    });

    const firstEnd = deferred<FirstEnd>();
    // Read now: a client that sees the channel end calls `close`, which does not make the end an orderly one.
    const endBy = (cause: EndCause) => firstEnd.resolve({ cause, wasClosed: this.#closing !== undefined });
    void tree.outcome.then((outcome) => {
      if ('status' in outcome) this.#exit = outcome.status;
      endBy('exit');
    });
    this.#reader = new LineReader(inputFrom(tree.stdout), maxLineBytes);
    tree.stdout.on('data', (chunk: Buffer) => {
      if (!this.#sentMessage) this.#strayOutput.push(chunk.toString());
    });
    void this.#reader.ended.then(({ error }) => {
      if (error instanceof MessageTooLargeError) endBy(error);
    });
    tree.stdout.once('end', () => endBy('stdout'));
    tree.stdout.once('close', () => endBy('stdout'));

    this.drained = this.#drain();
    this.ended = this.#end(firstEnd.promise);
    this.reaped = Promise.all([this.ended, tree.reaped]).then(() => {});
    this.#writer = new LineWriter(stdinOutput(tree.stdin, () => endBy('stdin')));
  }

  get pid(): number | undefined {
    return this.#tree.pid;
  }

  /** Without the whole environment, which can have secrets. */
  get program(): NonNullable<Transport['program']> {
    const { command, args, env } = this.#launch;
    return { command, args, env: (name) => variableIn(env, name) };
  }

  get exit(): AgentExit | undefined {
    return this.#exit && { ...this.#exit, stderrTail: this.#stderrTail.text() };
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    this.#reader.listen({
      onMessage: (message) => {
        this.#sentMessage = true;
        listener.onMessage(message);
      },
      onDiagnostic: listener.onDiagnostic,
      onActivity: () => listener.onActivity(),
    });
  }

  pause(): void {
    this.#reader.pause();
  }

  resume(): void {
    this.#reader.resume();
  }

  send(message: object): Promise<void> {
    return this.#writer.send(message);
  }

  get queuedBytes(): number {
    return this.#writer.queuedBytes;
  }

  close(): Promise<void> {
    this.#closing ??= this.#tree.close(this.#graceMs).then(() => this.reaped);
    return this.#closing;
  }

  hasDirectory(path: string): Promise<boolean> {
    return stat(path).then(
      (found) => found.isDirectory(),
      (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? ''),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #drain(): Promise<void> {
    const { stdout } = this.#tree;
    await this.#tree.drained(() => this.#listener !== undefined && stdout.isPaused());
    if (this.#listener) await settlesWithin(this.#reader.ended, maxDeliveryMs);
  }

  async #end(firstEnd: Promise<FirstEnd>): Promise<TransportEnd> {
    const { cause, wasClosed } = await firstEnd;
    const closedStream = wasClosed || cause === 'exit' ? undefined : await this.#stopAfter(cause);
    const outcome = await this.#tree.outcome;
    await this.drained;
    if (!wasClosed) await settlesWithin(this.#tree.reaped, maxReapMs);
    if ('failure' in outcome) return { error: await spawnErrorOf(outcome.failure, this.#launch) };
    const exit: AgentExit = { ...outcome.status, stderrTail: this.#stderrTail.text() };
    if (wasClosed) return { exit };
    if (closedStream instanceof MessageTooLargeError) return { error: closedStream, exit };
    const strayOutput = this.#sentMessage ? undefined : this.#strayOutput.text();
    const name = this.agentName ?? this.#launch.command;
    return { error: exitError(name, exit, closedStream, strayOutput), exit };
  }

  /**
   * Stops an agent whose channel is broken, and returns the cause. Returns `undefined` if it exits by itself in time.
   */
  async #stopAfter<C extends EndCause>(cause: C): Promise<C | undefined> {
    const mayExit = !(cause instanceof MessageTooLargeError);
    if (mayExit && (await settlesWithin(this.#tree.outcome, lingerMs))) return undefined;
    void this.#tree.kill();
    return cause;
  }
}

/**
 * Writes to the input of a program. A write to a program that no longer reads does not fail: the calls that wait reject
 * when the program ends, with the reason.
 *
 * @param onBroken - Called when the program has closed its input.
 */
function stdinOutput(stdin: Writable, onBroken: () => void): ByteOutput {
  stdin.on('error', onBroken);
  return {
    write: (text) =>
      new Promise<void>((resolve) => {
        if (stdin.writable) stdin.write(text, () => resolve());
        else resolve();
      }),
    end: () => void stdin.end(),
  };
}
