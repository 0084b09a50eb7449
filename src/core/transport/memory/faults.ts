import type { AgentExit } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { LineDecoder, tooLong } from '../lines.ts';

/** A stage that the bytes of an agent pass on their way to the client. */
export interface ByteFlow {
  /** Receives the next bytes. */
  write(chunk: Uint8Array): void;
  /** The output has ended. `exit` says how the program ended, if it has ended. */
  end(exit?: AgentExit): void;
}

/** A fault of the channel. The function receives the next stage and returns a stage before it. */
export type Fault = (next: ByteFlow) => ByteFlow;

/** Selects messages: those of one method, or those for which the function returns `true`. */
export type MessageSelector = string | ((message: JsonObject) => boolean);

/** How a program ends, in a test. Default: with exit code 1 and nothing on stderr. */
export interface ScriptedExit {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  readonly stderrTail?: string | undefined;
}

/** The sizes of chunks: in turn, or arbitrary sizes from 1 to `maxBytes` (default 64) that depend on the seed only. */
export type ChunkSizes =
  | { readonly sizes: readonly number[] }
  | { readonly seed: number; readonly maxBytes?: number | undefined };

/** The faults of a channel: {@link faults}. */
export interface Faults {
  /**
   * Splits the bytes into chunks of these sizes. Characters and lines are split too, and nothing is lost.
   *
   * @throws `RangeError` if there is no size, or one is not a whole number from 1.
   *
   * @example
   * ```ts
   * const agent = scriptedAgent({ faults: [faults.rechunk({ sizes: [1, 7] })] });
   * ```
   */
  rechunk(how: ChunkSizes): Fault;
  /** Delays everything by this number of milliseconds, and keeps the order. */
  delay(delayMs: number): Fault;
  /** Sends each selected message twice in a row. */
  duplicate(which: MessageSelector): Fault;
  /** Drops the selected messages. */
  drop(which: MessageSelector): Fault;
  /** Ends the agent's output after this number of bytes, even in the middle of a message. */
  truncate(afterBytes: number): Fault;
  /**
   * Ends the agent's program after the first selected message.
   *
   * @example
   * ```ts
   * const exit = { stderrTail: 'out of memory' };
   * const agent = scriptedAgent({ faults: [faults.exitAfter('session/update', exit)] });
   * ```
   */
  exitAfter(which: MessageSelector, exit?: ScriptedExit): Fault;
}

/** Puts the faults before `end`. The first fault is the one nearest to the agent. */
export function withFaults(chain: readonly Fault[], end: ByteFlow): ByteFlow {
  return chain.reduceRight((next, fault) => fault(next), end);
}

/**
 * Faults of the channel between an agent and a client, for the option `faults` of an agent of this entry.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({ faults: [faults.delay(50), faults.drop('session/update')] });
 * ```
 */
export const faults: Faults = {
  rechunk(how) {
    const given = 'sizes' in how ? how.sizes : [how.maxBytes ?? 64];
    if (given.length === 0 || !given.every((size) => Number.isInteger(size) && size > 0)) {
      throw new RangeError(
        `faults.rechunk: sizes must be whole numbers from 1; got ${JSON.stringify(given)}.`,
      );
    }
    return (next) => {
      const sizes = 'sizes' in how ? inTurn(how.sizes) : arbitrary(how.seed, how.maxBytes ?? 64);
      return {
        write(chunk) {
          for (let start = 0; start < chunk.length; ) {
            const end = start + sizes();
            next.write(chunk.subarray(start, end));
            start = end;
          }
        },
        end: (exit) => next.end(exit),
      };
    };
  },

  delay: (delayMs) => (next) => ({
    write: (chunk) => void setTimeout(() => next.write(chunk), delayMs),
    end: (exit) => void setTimeout(() => next.end(exit), delayMs),
  }),

  duplicate: (which) =>
    onLines((line, message, next) => {
      next.write(line);
      if (isMeant(which, message)) next.write(line);
    }),

  drop: (which) =>
    onLines((line, message, next) => {
      if (!isMeant(which, message)) next.write(line);
    }),

  truncate: (afterBytes) => (next) => {
    let left = afterBytes;
    let isOver = false;
    const end = (exit?: AgentExit) => {
      if (!isOver) next.end(exit);
      isOver = true;
    };
    return {
      write(chunk) {
        if (isOver) return;
        next.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) end();
      },
      end,
    };
  },

  exitAfter:
    (which, exit = {}) =>
    (next) => {
      let isOver = false;
      const lines = onLines((line, message, after) => {
        if (isOver) return;
        after.write(line);
        if (!isMeant(which, message)) return;
        isOver = true;
        after.end(exitOf(exit));
      })(next);
      return { write: lines.write, end: (how) => (isOver ? undefined : lines.end(how)) };
    },
};

/** How a program ended. Default: by itself, with code 1 and nothing on stderr. */
export function exitOf({ exitCode, signal = null, stderrTail = '' }: ScriptedExit): AgentExit {
  return { exitCode: exitCode ?? (signal === null ? 1 : null), signal, stderrTail };
}

/** Passes on line by line. `take` gets each line with its line feed, and its message if the line is a JSON object. */
function onLines(take: (line: Uint8Array, message: JsonObject | undefined, next: ByteFlow) => void): Fault {
  return (next) => {
    const decoder = new LineDecoder(Number.POSITIVE_INFINITY);
    const encoder = new TextEncoder();
    return {
      write(chunk) {
        decoder.push(chunk);
        for (let line = decoder.take(); line !== undefined && line !== tooLong; line = decoder.take()) {
          take(encoder.encode(`${line}\n`), messageOn(line), next);
        }
      },
      end(exit) {
        const rest = decoder.rest();
        if (rest !== '') next.write(encoder.encode(rest));
        next.end(exit);
      },
    };
  };
}

/** The message on a line, or `undefined` if it has none. */
export function messageOn(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function isMeant(which: MessageSelector, message: JsonObject | undefined): boolean {
  if (!message) return false;
  return typeof which === 'string' ? message['method'] === which : which(message);
}

function inTurn(sizes: readonly number[]): () => number {
  let place = 0;
  return () => sizes[place++ % sizes.length] ?? Number.POSITIVE_INFINITY;
}

/** A linear congruential generator: few numbers are enough, and they must be the same everywhere. */
function arbitrary(seed: number, max: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * max);
  };
}
