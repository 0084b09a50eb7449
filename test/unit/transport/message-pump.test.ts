import { expect, onTestFinished, test, vi } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { ConnectionClosedError } from '../../../src/core/base/errors.ts';
import { MessagePump, messageIn, skipped } from '../../../src/core/transport/message-pump.ts';

/** A pump over what `items` return or throw. */
function setUp(items: (() => unknown)[]) {
  const pump = new MessagePump({ take: () => items.shift()?.() });
  const messages: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  const listen = (onMessage: (message: unknown) => void = () => {}) =>
    pump.listen({
      onMessage: (message) => {
        messages.push(message);
        onMessage(message);
      },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      onActivity() {},
    });
  return { pump, messages, diagnostics, listen };
}

const fail = () => {
  throw new RangeError('too deep');
};

test('input that makes the reader throw is reported and dropped, and the next message is delivered', async () => {
  const { pump, messages, diagnostics, listen } = setUp([() => 1, fail, () => 2]);
  listen();
  pump.end();
  await pump.ended;
  expect(messages).toEqual([1, 2]);
  expect(diagnostics).toMatchObject([
    { rule: 'client.failed', severity: 'error', message: expect.stringContaining('too deep') },
  ]);
});

test('a listener that throws does not end the delivery', async () => {
  const { pump, messages, diagnostics, listen } = setUp([() => 1, () => 2]);
  listen(fail);
  pump.end();
  await pump.ended;
  expect(messages).toEqual([1, 2]);
  expect(diagnostics).toHaveLength(2);
});

test('a pause within a message holds the next one, and the end waits for it', async () => {
  const { pump, messages, listen } = setUp([() => 1, () => 2]);
  listen((message) => {
    if (message === 1) pump.pause();
  });
  pump.end();
  const order: string[] = [];
  void pump.ended.then(() => order.push('drained'));
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect({ messages, order }).toEqual({ messages: [1], order: [] });
  pump.resume();
  await pump.ended;
  expect(messages).toEqual([1, 2]);
});

test('a stretch of delivery takes 8 milliseconds, and the next one follows when the event loop has run', async () => {
  const { pump, messages, listen } = setUp(Array.from({ length: 20 }, (_, index) => () => index));
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  // The clock is read before each eighth message: after 7 milliseconds delivery goes on, and after 8 it does not.
  const times = [...Array<number>(7).fill(0), 7, 1];
  listen(() => vi.advanceTimersByTime(times.shift() ?? 0));
  pump.end();
  let left = -1;
  void pump.ended.then(() => {
    left = 20 - messages.length;
  });
  expect(messages).toEqual([]);
  await nextTurn();
  expect({ messages: messages.length, left }).toEqual({ messages: 16, left: -1 });
  await nextTurn();
  expect({ messages: messages.length, left }).toEqual({ messages: 20, left: 0 });
});

test('a message that arrives during a delivery comes after it, and each delivery ends with a call to the source', async () => {
  const items = [1, 2];
  const happened: unknown[] = [];
  const pump = new MessagePump({
    take: () => items.shift(),
    afterDelivery: () => void happened.push('delivered'),
  });
  pump.run();
  pump.listen({
    onMessage: (message) => {
      happened.push(message);
      pump.run();
    },
    onDiagnostic() {},
    onActivity() {},
  });
  pump.pause();
  pump.run();
  expect(happened).toEqual(['delivered']);
  pump.resume();
  expect(happened).toEqual(['delivered', 1, 2, 'delivered']);
  pump.error = new ConnectionClosedError('broken');
  pump.end();
  pump.end();
  expect(await pump.ended).toEqual({ error: pump.error });
  // The listener and the end have one later turn together, and a further end has none.
  pump.end();
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(happened.slice(4)).toEqual(['delivered']);
});

test.each([
  ['', []],
  ['Loading', ['is not a JSON message']],
  ['['.repeat(513) + ']'.repeat(513), ['is nested deeper than 512 levels, and was dropped']],
])('a text that is no message is skipped, and its defect is reported (%#)', (text, expected) => {
  const told: string[] = [];
  expect(messageIn(text, (defect) => void told.push(defect))).toBe(skipped);
  expect(told).toEqual(expected);
});
