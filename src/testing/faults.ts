import type { AgentExit } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { LineDecoder, tooLong } from '../transport/lines.ts';

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
export type Which = string | ((message: JsonObject) => boolean);

/** The way to `end` with something wrong on it. The first fault is the one nearest to the agent. */
export function withFaults(faults: readonly Fault[], end: ByteFlow): ByteFlow {
  return faults.reduceRight((next, fault) => fault(next), end);
}

/**
 * Splits the bytes into chunks of these sizes, used in turn. Characters and lines are split too, and nothing is lost.
 * With a `seed`, the sizes are from 1 to `maxBytes` (default 64) and the same on every run.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({ faults: [rechunk({ sizes: [1, 7] })] });
 * ```
 */
export function rechunk(
  how: { readonly sizes: readonly number[] } | { readonly seed: number; readonly maxBytes?: number },
): Fault {
  if ('sizes' in how && !how.sizes.every((size) => Number.isInteger(size) && size > 0)) {
    throw new RangeError(`rechunk: sizes are ${JSON.stringify(how.sizes)}; give whole numbers from 1.`);
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
}

/** Delays everything by this number of milliseconds, and keeps the order. */
export function delay(ms: number): Fault {
  return (next) => ({
    write: (chunk) => void setTimeout(() => next.write(chunk), ms),
    end: (exit) => void setTimeout(() => next.end(exit), ms),
  });
}

/** Sends each selected message twice in a row. */
export function duplicate(which: Which): Fault {
  return onLines((line, message, next) => {
    next.write(line);
    if (isMeant(which, message)) next.write(line);
  });
}

/** Drops messages. */
export function drop(which: Which): Fault {
  return onLines((line, message, next) => {
    if (!isMeant(which, message)) next.write(line);
  });
}

/** Ends the agent's output after this number of bytes, even in the middle of a message. */
export function truncate(afterBytes: number): Fault {
  return (next) => {
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
  };
}

/**
 * Ends the agent's program after the first selected message.
 *
 * @param exit - How it ends. Default: with exit code 1 and nothing on stderr.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({ faults: [exitAfter('session/update', { stderrTail: 'out of memory' })] });
 * ```
 */
export function exitAfter(which: Which, exit: Partial<AgentExit> = {}): Fault {
  return (next) => {
    let isOver = false;
    const lines = onLines((line, message, after) => {
      if (isOver) return;
      after.write(line);
      if (!isMeant(which, message)) return;
      isOver = true;
      after.end(exitOf(exit));
    })(next);
    return { write: lines.write, end: (how) => (isOver ? undefined : lines.end(how)) };
  };
}

/** How a program ended, with what was not said: by itself, with code 1 and without a word. */
export function exitOf({ exitCode, signal = null, stderrTail = '' }: Partial<AgentExit>): AgentExit {
  return { exitCode: exitCode ?? (signal === null ? 1 : null), signal, stderrTail };
}

/** Line by line, each with its line feed, and with the message on it if there is one. */
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

function messageOn(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function isMeant(which: Which, message: JsonObject | undefined): boolean {
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
