import { type AgentExit, ExitError } from '../../base/errors.ts';
import { describeExit } from '../../base/process-exit.ts';
import type { ByteInput, ByteOutput } from '../byte-streams.ts';
import { lineTransport, type NdjsonTransportOptions } from '../ndjson.ts';
import type { Transport, TransportEnd } from '../transport.ts';

/** How a program ends, in a test. Default: with exit code 1 and nothing on stderr. */
export interface ScriptedExit {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  readonly stderrTail?: string | undefined;
}

/** The agent's end of a {@link memoryTransport}. It writes bytes, so that a test can send malformed ones. */
export interface AgentEnd {
  /** Sends bytes or text to the client, in one chunk. */
  write(chunk: Uint8Array | string): void;
  /** Sends messages, one per line, all in one chunk. */
  send(...messages: readonly unknown[]): void;
  /** Calls `listener` for each line that the client writes. */
  onLine(listener: (line: string) => void): void;
  /** Calls `listener` once the client has ended its output. */
  onEnd(listener: () => void): void;
  /** Ends the agent's output. */
  end(): void;
  /** Refuses everything that the client writes from now on, like an agent that closed its input. */
  closeInput(): void;
  /**
   * Ends both directions of the channel, like a program that exits. Default: exit code 1, and nothing on stderr.
   */
  exit(exit?: ScriptedExit): void;
}

/**
 * Creates a channel in memory. A client connects to `transport`. `agent` is its other end.
 *
 * @example
 * ```ts
 * const { transport, agent } = memoryTransport();
 * agent.onLine((line) => agent.send({ jsonrpc: '2.0', id: JSON.parse(line).id, result: {} }));
 * ```
 */
export function memoryTransport(options: NdjsonTransportOptions = {}): {
  transport: Transport;
  agent: AgentEnd;
} {
  const encoder = new TextEncoder();
  const input = new MemoryInput();
  let end: TransportEnd = {};
  const lines = new Set<(line: string) => void>();
  const ends = new Set<() => void>();
  let inputClosed = false;
  let clientEnded = false;

  const output: ByteOutput = {
    async write(text) {
      // A turn later, as with a real pipe: the client is not called back from within its own call.
      await Promise.resolve();
      if (inputClosed || clientEnded) throw new Error('write EPIPE');
      for (const line of text.split('\n')) if (line !== '') for (const listener of lines) listener(line);
    },
    end() {
      if (clientEnded) return;
      clientEnded = true;
      queueMicrotask(() => {
        for (const listener of ends) listener();
      });
      input.end();
    },
  };

  const channel = lineTransport(input, output, options);
  const transport: Transport = Object.assign(channel, {
    ended: channel.ended.then((how) => ({ ...how, ...end })),
  });
  const write = (chunk: Uint8Array | string) =>
    input.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
  return {
    transport,
    agent: {
      write,
      send: (...messages) => write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
      onLine: (listener) => void lines.add(listener),
      onEnd: (listener) => void ends.add(listener),
      end: () => input.end(),
      closeInput: () => {
        inputClosed = true;
      },
      exit(how = {}) {
        const exit = exitOf(how);
        end = { exit, error: exitError(exit) };
        inputClosed = true;
        input.end();
      },
    },
  };
}

/** How a program ended. Default: by itself, with code 1 and nothing on stderr. */
export function exitOf({ exitCode, signal = null, stderrTail = '' }: ScriptedExit): AgentExit {
  return { exitCode: exitCode ?? (signal === null ? 1 : null), signal, stderrTail };
}

function exitError(exit: AgentExit): ExitError {
  const tail = exit.stderrTail === '' ? '' : ` The end of its stderr:\n${exit.stderrTail}`;
  return new ExitError(`The agent in the test ${describeExit(exit)} while it was in use.${tail}`, exit);
}

/** Bytes that wait to be read. */
class MemoryInput implements ByteInput {
  #onChunk: (chunk: Uint8Array) => void = () => {};
  #onEnd: () => void = () => {};
  #waiting: Uint8Array[] = [];
  #isPaused = false;
  #hasEnded = false;

  start(onChunk: (chunk: Uint8Array) => void, onEnd: () => void): void {
    this.#onChunk = onChunk;
    this.#onEnd = onEnd;
  }

  push(chunk: Uint8Array): void {
    if (this.#hasEnded) return;
    this.#waiting.push(chunk);
    this.#flow();
  }

  end(): void {
    this.#hasEnded = true;
    this.#flow();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    queueMicrotask(() => this.#flow());
  }

  stop(): void {
    this.#waiting = [];
    this.end();
  }

  #flow(): void {
    while (!this.#isPaused) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      this.#onChunk(chunk);
    }
    if (this.#hasEnded && this.#waiting.length === 0) this.#onEnd();
  }
}
