import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Slots } from '../../../src/node/process/slots.ts';
import { settle } from '../../support/agents.ts';

test('[reliability: limit-reads] as many tasks run as there are slots, in the order of their calls, and a task that fails frees its slot', async () => {
  const slots = new Slots(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const task = (n: number) =>
    slots.run(undefined, async () => {
      started.push(n);
      await new Promise<void>((resolve, reject) => ends.push(n === 0 ? reject : resolve));
      return n;
    });
  const first = task(0).catch(() => 'failed');
  const others = [1, 2, 3].map(task);
  await settle();
  expect(started).toEqual([0, 1]);
  ends[0]?.();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  for (let n = 1; n < 4; n++) {
    ends[n]?.();
    await settle();
  }
  expect([await first, ...(await Promise.all(others))]).toEqual(['failed', 1, 2, 3]);
});

test('a task that is withdrawn while it waits rejects at once and does not run', async () => {
  const slots = new Slots(1);
  let end = () => {};
  const first = slots.run(undefined, () => new Promise<void>((resolve) => (end = resolve)));
  const control = new AbortController();
  let hasRun = false;
  const second = slots.run(control.signal, async () => {
    hasRun = true;
  });
  const third = slots.run(undefined, async () => 'third');
  control.abort();
  await expect(second).rejects.toMatchObject({ code: -32800 });
  end();
  await first;
  expect(await third).toBe('third');
  expect(hasRun).toBe(false);
});

test('a task that waited leaves no listener on its signal', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  let end = () => {};
  const first = slots.run(undefined, () => new Promise<void>((resolve) => (end = resolve)));
  const second = slots.run(signal, async () => getEventListeners(signal, 'abort').length);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  end();
  await first;
  expect(await second).toBe(0);
});
