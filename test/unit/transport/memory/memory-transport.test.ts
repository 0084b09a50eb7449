import { expect, test } from 'vitest';
import { memoryTransport } from '../../../../src/core/transport/memory/memory-transport.ts';
import { listened } from '../../../support/listened.ts';

/** A channel that is listened to, and what happens at both ends. */
function open(options?: Parameters<typeof memoryTransport>[0]) {
  const { transport, agent } = memoryTransport(options);
  const seen: string[] = [];
  agent.onLine((line) => void seen.push(line));
  agent.onEnd(() => void seen.push('end'));
  return { transport, agent, seen, ...listened(transport) };
}

test('messages, text and bytes go both ways until one side ends', async () => {
  const { transport, agent, received, rules, seen } = open();
  agent.send({ a: 1 }, { b: 2 });
  agent.write('{"c":');
  agent.write(new TextEncoder().encode('3}\n'));
  agent.write('noise\n');
  const sent = transport.send({ text: 'one\ntwo' });
  // A turn later, as with a real pipe.
  expect(seen).toEqual([]);
  await sent;
  await transport.close();
  await transport.close();
  expect(await transport.ended).toEqual({});
  expect(received).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  expect(rules()).toEqual(['transport.noise']);
  expect(seen).toEqual(['{"text":"one\\ntwo"}', 'end']);
  await expect(transport.send({})).rejects.toThrow('EPIPE');
  expect(seen).toHaveLength(2);
});

test('an agent that ends its output ends the channel, and nothing is read after it', async () => {
  const { transport, agent, received } = open();
  agent.send({ a: 1 });
  agent.end();
  agent.send({ b: 2 });
  expect(await transport.ended).toEqual({});
  expect(received).toEqual([{ a: 1 }]);
  // It can still read.
  await transport.send({});
});

test('an agent that closes its input can still write', async () => {
  const { transport, agent, received, seen } = open();
  agent.closeInput();
  await expect(transport.send({})).rejects.toThrow('write EPIPE');
  expect(seen).toEqual([]);
  agent.send({ a: 1 });
  agent.end();
  expect(await transport.ended).toEqual({});
  expect(received).toEqual([{ a: 1 }]);
});

test.each([
  [undefined, 'The agent in the test exited with code 1 while it was in use.'],
  [
    { exitCode: 3, stderrTail: 'out of memory' },
    'The agent in the test exited with code 3 while it was in use. The end of its stderr:\nout of memory',
  ],
])('an agent that exits, with %j, ends both directions', async (exit, message) => {
  const { transport, agent } = open();
  agent.exit(exit);
  await expect(transport.send({})).rejects.toThrow('write EPIPE');
  const end = await transport.ended;
  expect(end.error?.message).toBe(message);
  expect(end.exit).toEqual({ exitCode: 1, signal: null, stderrTail: '', ...exit });
});

test('what is written while the input is paused is read after it, and the rest is dropped by a stop', async () => {
  const line = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(300_000) })}\n`;
  const paused = open();
  paused.transport.pause?.();
  for (const n of [1, 2, 3]) paused.agent.write(line(n));
  paused.agent.end();
  paused.transport.resume?.();
  expect(await paused.transport.ended).toEqual({});
  expect(paused.received).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }]);

  const stopped = open({ maxLineBytes: 300_000 });
  for (const part of line(1).match(/.{1,100000}/gs) ?? []) stopped.agent.write(part);
  expect((await stopped.transport.ended).error).toMatchObject({ limitBytes: 300_000 });
  stopped.agent.write(line(2));
  await stopped.transport.close();
  expect(stopped.received).toEqual([]);
  expect(stopped.seen).toEqual(['end']);
});
