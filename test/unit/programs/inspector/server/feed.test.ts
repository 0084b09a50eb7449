import { expect, onTestFinished, test, vi } from 'vitest';
import { sendTimeline } from '../../../../../src/programs/inspector/server/feed.ts';
import { GrowingTimeline } from '../../../../../src/programs/inspector/timeline/growing.ts';
import { eventually } from '../../../../support/eventually.ts';
import { unreadResponse } from '../../../../support/unread-response.ts';

const item = { type: 'stderr', t: 1, text: 'a' } as const;

test('an idle stream of a live timeline has an empty line every 15 seconds, and ends with its page', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const timeline = new GrowingTimeline('live', [item], 'live');
  const { socket, response } = await unreadResponse();
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.resume();
  const sent = sendTimeline(timeline, 0, response);
  await eventually(() => received).toContain('"stderr"');
  const idle = () => received.match(/\r\n\n\r\n/g)?.length ?? 0;
  for (const count of [1, 2]) {
    await eventually(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(14_999);
    timeline.addChanges(0, []);
    expect(idle()).toBe(count - 1);
    vi.advanceTimersByTime(1);
    await eventually(idle).toBe(count);
  }
  await eventually(() => vi.getTimerCount()).toBe(1);
  socket.destroy();
  await sent;
  expect(vi.getTimerCount()).toBe(0);
});
