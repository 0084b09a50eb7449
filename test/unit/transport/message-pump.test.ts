import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { MessagePump } from '../../../src/transport/message-pump.ts';

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
