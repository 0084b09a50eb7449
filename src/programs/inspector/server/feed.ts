import type { ServerResponse } from 'node:http';
import { deferred, settlesWithin } from '../../../base/wait.ts';
import { writePart } from '../../../loopback/slow-reader.ts';
import type { GrowingTimeline } from '../timeline/growing.ts';

/** How long a page may read nothing of a stream, in milliseconds. It can ask again. */
export const slowPageLimitMs = 30_000;

/** How often an idle stream has an empty line, in milliseconds: a page that is gone is then noticed. */
export const keepAliveMs = 15_000;

/** How much is written at a time, in characters. */
export const sliceCharacters = 64 * 1024;

/**
 * Writes the lines of a timeline from one on, as fast as they are read: a page that reads slowly has a place in the list
 * and no queue. The stream of a live timeline stays open. A response that is not read is destroyed.
 */
export async function sendTimeline(
  timeline: GrowingTimeline,
  from: number,
  response: ServerResponse,
): Promise<void> {
  response.flushHeaders();
  let next = from;
  while (!response.destroyed) {
    let part = '';
    while (next < timeline.lines.length && part.length < sliceCharacters) {
      part += `${JSON.stringify(timeline.lines[next++])}\n`;
    }
    if (part === '') {
      if (!timeline.isLive) break;
      if (await growsSoon(timeline, response)) continue;
      part = '\n';
    }
    if (!(await writePart(response, part, slowPageLimitMs))) response.destroy();
  }
  response.end();
}

/** Whether the timeline grows, or the page goes, before the stream is idle for too long. */
function growsSoon(timeline: GrowingTimeline, response: ServerResponse): Promise<boolean> {
  const { promise, resolve } = deferred();
  const stop = timeline.onGrown(resolve);
  response.on('close', resolve);
  return settlesWithin(promise, keepAliveMs).finally(() => {
    stop();
    response.off('close', resolve);
  });
}
