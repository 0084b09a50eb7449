import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import { settlesWithin } from '../../core/base/wait.ts';

/** How long a stream must be silent after its writer has exited, before it counts as read to its end. */
export const quietMs = 250;
/** The longest time for that, if another process keeps writing or the data is not taken. */
const maxDrainMs = 10_000;

export type Drain = ReturnType<typeof createDrain>;

/** Reads a stream to its end, which may never come by itself. To be called before the stream flows. */
export function createDrain(stream: Readable) {
  let chunkCount = 0;
  // Unlike `on`, this does not make the stream flow. Data that comes before the reader listens would be lost.
  stream.prependListener('data', () => chunkCount++);
  stream.on('error', () => {}); // 'close' follows
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  return {
    closed,
    /**
     * Waits for the end of the stream. A process that the program has left behind may keep the stream open without end.
     * So the stream is destroyed after a silence, unless `isPaused` returns that its reader has paused it.
     */
    async finish(isPaused: () => boolean): Promise<void> {
      const giveUpAt = performance.now() + maxDrainMs;
      for (;;) {
        const before = chunkCount;
        if (await settlesWithin(closed, quietMs)) return;
        // If the event loop was blocked, the timer fires before data is read that arrived long ago.
        await turn();
        if (performance.now() < giveUpAt && (chunkCount > before || isPaused())) continue;
        stream.destroy();
        return closed;
      }
    },
  };
}

/** Calls `onText` with the UTF-8 text that `stream` delivers. Does not split characters. */
export function readText(stream: Readable, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  const deliver = (text: string) => {
    if (text !== '') onText(text);
  };
  stream.on('data', (chunk: Buffer) => deliver(decoder.write(chunk)));
  stream.on('end', () => deliver(decoder.end()));
}
