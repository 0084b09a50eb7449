import { type AgentExit, ExitError } from '../errors.ts';
import {
  type ByteSink,
  type ByteSource,
  NdjsonReader,
  type NdjsonReaderOptions,
  NdjsonWriter,
} from '../transport/ndjson.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { exitOf, type Fault, withFaults } from './faults.ts';

/** The agent's side of a {@link memoryTransport}: bytes, so that whatever can go wrong with bytes can. */
export interface AgentEnd {
  /** Sends bytes or text to the client as they are, in one chunk. */
  write(chunk: Uint8Array | string): void;
  /** Sends messages, one a line, all in one chunk. */
  send(...messages: readonly unknown[]): void;
  /** Calls `listener` for each line that the client writes. */
  onLine(listener: (line: string) => void): void;
  /** Calls `listener` once the client has ended its output. */
  onEnd(listener: () => void): void;
  /** Ends the agent's output. */
  end(): void;
  /** Refuses whatever the client writes from now on, as an agent does that closed its input. */
  closeInput(): void;
  /**
   * Ends as a program does that nobody asked to: both ends of the channel, and how it ended. Default: exit code 1,
   * and nothing on stderr.
   */
  exit(exit?: Partial<AgentExit>): void;
}

/** How a channel in memory differs from a good one. */
export interface MemoryTransportOptions extends NdjsonReaderOptions {
  /** What goes wrong on the way from the agent to the client, nearest to the agent first. Default: nothing. */
  readonly faults?: readonly Fault[];
}

/**
 * A channel in memory: `transport` is what a client connects to, `agent` is the other end of it.
 *
 * @example
 * ```ts
 * const { transport, agent } = memoryTransport();
 * agent.onLine((line) => agent.send({ jsonrpc: '2.0', id: JSON.parse(line).id, result: {} }));
 * ```
 */
export function memoryTransport({ faults = [], ...options }: MemoryTransportOptions = {}): {
  transport: Transport;
  agent: AgentEnd;
} {
  const encoder = new TextEncoder();
  const source = new MemorySource();
  let end: TransportEnd = {};
  const flow = withFaults(faults, {
    write: (chunk) => source.push(chunk),
    end(exit) {
      if (exit) {
        end = { exit, error: exitError(exit) };
        inputClosed = true;
      }
      source.end();
    },
  });
  const lines = new Set<(line: string) => void>();
  const ends = new Set<() => void>();
  let inputClosed = false;
  let clientEnded = false;

  const sink: ByteSink = {
    write(chunk, done) {
      if (inputClosed || clientEnded) {
        queueMicrotask(() => done(new Error('write EPIPE')));
        return;
      }
      // A turn later, as with a real pipe: nobody is called back from within their own call.
      queueMicrotask(() => {
        done();
        for (const line of chunk.split('\n')) if (line !== '') for (const listener of lines) listener(line);
      });
    },
    end() {
      if (clientEnded) return;
      clientEnded = true;
      queueMicrotask(() => {
        for (const listener of ends) listener();
      });
    },
    on() {},
  };

  const reader = new NdjsonReader(source, options);
  const writer = new NdjsonWriter(sink);
  const transport: Transport = {
    reader,
    writer,
    ended: new Promise((resolve) => {
      reader.onClose(() => resolve(end));
    }),
    async close() {
      writer.end();
      source.end();
    },
  };
  const write = (chunk: Uint8Array | string) =>
    flow.write(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
  return {
    transport,
    agent: {
      write,
      send: (...messages) => write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
      onLine: (listener) => {
        lines.add(listener);
      },
      onEnd: (listener) => {
        ends.add(listener);
      },
      end: () => flow.end(),
      closeInput: () => {
        inputClosed = true;
      },
      exit: (exit = {}) => flow.end(exitOf(exit)),
    },
  };
}

function exitError(exit: AgentExit): ExitError {
  const how = exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by ${exit.signal}`;
  const said = exit.stderrTail === '' ? '' : ` The last it wrote to stderr:\n${exit.stderrTail}`;
  return new ExitError(`The agent in the test ${how} while it was in use.${said}`, exit);
}

class MemorySource implements ByteSource {
  readonly #data = new Set<(chunk: Uint8Array) => void>();
  readonly #ends = new Set<() => void>();
  #waiting: Uint8Array[] = [];
  #paused = false;
  #ended = false;
  #told = false;

  on(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: never) => void): void {
    if (event === 'data') this.#data.add(listener as (chunk: Uint8Array) => void);
    if (event === 'end') this.#ends.add(listener as () => void);
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#waiting.push(chunk);
    this.#flow();
  }

  end(): void {
    this.#ended = true;
    this.#flow();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    queueMicrotask(() => this.#flow());
  }

  #flow(): void {
    while (!this.#paused) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      for (const listener of this.#data) listener(chunk);
    }
    if (!this.#ended || this.#told || this.#waiting.length > 0) return;
    this.#told = true;
    for (const listener of this.#ends) listener();
  }
}
