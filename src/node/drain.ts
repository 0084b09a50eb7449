import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { settlesWithin } from '../wait.ts';

/** How long nothing must come from a stream whose writer has ended before it counts as read to its end. */
export const quietMs = 250;
/** How long it may take at most, if somebody else goes on writing or nobody takes what is read. */
const maxDrainMs = 10_000;

/** A stream that says how much it has delivered, and when it is over. */
export interface Drain {
  readonly closed: Promise<void>;
  /**
   * Reads the stream to its end. A program that outlives the one that was started may hold the stream open for ever:
   * it is destroyed when nothing has come for a while, unless `isHeld` says that it is the reader who does not read.
   */
  finish(isHeld: () => boolean): Promise<void>;
}

/** Must be called before the stream flows. */
export function createDrain(stream: Readable): Drain {
  let chunkCount = 0;
  // Added in a way that does not make the stream flow: what would come before the reader listens would be lost.
  stream.prependListener('data', () => chunkCount++);
  stream.on('error', () => {}); // its 'close' follows
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  return {
    closed,
    async finish(isHeld) {
      const giveUpAt = performance.now() + maxDrainMs;
      for (;;) {
        const before = chunkCount;
        if (await settlesWithin(closed, quietMs)) return;
        // After the event loop was blocked the timer comes first, and what has long arrived only then.
        await turn();
        if (performance.now() < giveUpAt && (chunkCount > before || isHeld())) continue;
        stream.destroy();
        return closed;
      }
    },
  };
}
