import { expect, test } from 'vitest';
import { GrowingTimeline } from '../../../../../src/programs/inspector/timeline/growing.ts';

const item = (t: number) => ({ type: 'stderr', t, text: '' }) as const;
const change = { conversation: 0, patch: [], entries: [] };

test('a timeline begins with items, and each added line is announced', () => {
  const timeline = new GrowingTimeline('title', [item(1)], 'live');
  let told = 0;
  const stop = timeline.onGrown(() => told++);
  expect(timeline.add(item(2))).toBe(1);
  timeline.addChanges(0, []);
  expect(told).toBe(1);
  timeline.addChanges(0, [change]);
  expect(timeline.add(item(3))).toBe(2);
  expect(told).toBe(3);
  stop();
  timeline.add(item(4));
  expect(told).toBe(3);
  expect(timeline.itemCount).toBe(4);
  expect(timeline.lines).toEqual([
    { item: item(1) },
    { item: item(2) },
    { index: 0, changes: [change] },
    { item: item(3) },
    { item: item(4) },
  ]);
});

test('only a live timeline grows', () => {
  expect([
    new GrowingTimeline('a', [], 'live').isLive,
    new GrowingTimeline('a', [], 'complete').isLive,
  ]).toEqual([true, false]);
});
