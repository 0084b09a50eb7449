import type { ServerResponse } from 'node:http';
import { writePart } from '../../../node/loopback/http-server.ts';
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
      if (await growsWithin(timeline, response, keepAliveMs)) continue;
      part = '\n';
    }
    if (!(await writePart(response, part, slowPageLimitMs))) response.destroy();
  }
  response.end();
}

/** Whether the timeline grows within a time, or the page goes. */
function growsWithin(timeline: GrowingTimeline, response: ServerResponse, timeMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (grown: boolean) => {
      clearTimeout(timer);
      stop();
      response.off('close', gone);
      resolve(grown);
    };
    const gone = () => done(true);
    const timer = setTimeout(() => done(false), timeMs);
    const stop = timeline.onGrown(() => done(true));
    response.on('close', gone);
  });
}
