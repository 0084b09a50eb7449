import { once } from 'node:events';
import { createServer, connect as openSocket, type Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ByteInput,
  type ByteOutput,
  inputFrom,
  type NodeByteSource,
  outputTo,
} from '../../../src/core/transport/byte-streams.ts';
import { LineDecoder, tooLong } from '../../../src/core/transport/lines.ts';
import { LineReader, lineTransport } from '../../../src/core/transport/ndjson.ts';
import { hasMoreParts, maxDepth, maxParts, parseMessage } from '../../../src/core/transport/parse-message.ts';
import { maxClosingMs } from '../../../src/core/transport/transport.ts';
import { ndjsonTransport } from '../../../src/entries/index.ts';
import { listen } from '../../../src/node/loopback/http-server.ts';
import { listened } from '../../support/listened.ts';
import { passTime, stopClock } from '../../support/timed-acp-server.ts';

/** Two sockets that are connected with each other. They end with the test. */
async function socketPair(): Promise<[client: Socket, server: Socket]> {
  const server = createServer({ allowHalfOpen: true });
  const port = await listen(server);
  const accepted = once(server, 'connection');
  const client = openSocket(port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  onTestFinished(() => {
    client.destroy();
    peer.destroy();
    server.close();
  });
  return [client, peer];
}

const update = (text: string) => ({ jsonrpc: '2.0', method: 'session/update', params: { text } });
const line = (message: object) => `${JSON.stringify(message)}\n`;

describe('over a socket', () => {
  test('messages go in both directions, and close ends the channel', async () => {
    const [client, server] = await socketPair();
    const transport = ndjsonTransport(client, client);
    const { received: messages } = listened(transport);
    let written = '';
    server.on('data', (chunk) => {
      written += chunk;
    });
    server.on('end', () => server.end(line(update('last'))));
    server.write(line(update('first')));
    await transport.send({ text: 'grüße\n' });
    await transport.close();
    expect(await transport.ended).toEqual({});
    expect(messages).toEqual([update('first'), update('last')]);
    expect(written).toBe(line({ text: 'grüße\n' }));
  });

  test('close destroys the input if the other side does not end it', async () => {
    const [client, server] = await socketPair();
    const transport = ndjsonTransport(client, client);
    listened(transport);
    server.on('data', () => {});
    stopClock();
    const closed = transport.close();
    await passTime(maxClosingMs);
    await closed;
    expect(await transport.ended).toEqual({});
    expect(client.destroyed).toBe(true);
  });

  test('a connection that breaks ends the channel with an error', async () => {
    const [client, server] = await socketPair();
    const transport = ndjsonTransport(client, client);
    const { received: messages } = listened(transport);
    server.write(line(update('before')));
    await once(client, 'data');
    server.resetAndDestroy();
    expect((await transport.ended).error).toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('ECONNRESET'),
    });
    expect(messages).toEqual([update('before')]);
    await expect(transport.send({})).rejects.toThrow();
  });
});

test('[reliability: limit-line] a line has at most 128 MiB if no other limit is given', async () => {
  const input = new PassThrough();
  const transport = ndjsonTransport(input, new PassThrough());
  listened(transport);
  const chunk = Buffer.alloc(64 * 1024 * 1024, 'x');
  for (const part of [chunk, chunk, chunk.subarray(0, 1)]) input.write(part);
  expect((await transport.ended).error).toMatchObject({ limitBytes: 128 * 1024 * 1024 });
});

test('[reliability: limit-line] a line has at most the length of the longest text, whatever the limit', async () => {
  const input = new PassThrough();
  const transport = ndjsonTransport(input, new PassThrough(), { maxLineBytes: Number.POSITIVE_INFINITY });
  listened(transport);
  // The same memory each time: a line is joined at its end.
  const chunk = Buffer.alloc(64 * 1024 * 1024, 'x');
  for (let count = 0; count < 8; count++) input.write(chunk);
  input.end();
  expect((await transport.ended).error).toMatchObject({ limitBytes: 2 ** 29 - 24 });
});

describe('over streams of the web platform', () => {
  test('messages go in both directions', async () => {
    const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
    const toAgent = new TransformStream<Uint8Array, Uint8Array>();
    const transport = ndjsonTransport(fromAgent.readable, toAgent.writable);
    const { received: messages } = listened(transport);
    const agent = fromAgent.writable.getWriter();
    const bytes = new TextEncoder().encode(line(update('λ')));
    // In the middle of the letter.
    const middle = bytes.indexOf(0xce) + 1;
    await agent.write(bytes.subarray(0, middle));
    await agent.write(bytes.subarray(middle));
    const reader = toAgent.readable.getReader();
    const [read] = await Promise.all([reader.read(), transport.send({ id: 1 })]);
    expect(new TextDecoder().decode(read.value)).toBe('{"id":1}\n');
    await agent.close();
    expect(await transport.ended).toEqual({});
    expect(messages).toEqual([update('λ')]);
  });

  test('a source that fails ends the channel with its error', async () => {
    const failure = new Error('no network');
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(failure),
    });
    const transport = ndjsonTransport(source, new WritableStream());
    listened(transport);
    const { error } = await transport.ended;
    expect(error).toMatchObject({ message: expect.stringContaining('no network'), cause: failure });
  });

  test('close closes the sink, and cancels a source that does not end', async () => {
    let cancelled = false;
    let closed = false;
    const source = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true;
      },
    });
    const sink = new WritableStream<Uint8Array>({
      close() {
        closed = true;
      },
    });
    const transport = ndjsonTransport(source, sink);
    listened(transport);
    stopClock();
    const closing = transport.close();
    await passTime(maxClosingMs);
    await closing;
    expect(await transport.ended).toEqual({});
    expect({ cancelled, closed }).toEqual({ cancelled: true, closed: true });
  });

  test('a source that is too fast is not read while the transport is paused', async () => {
    let pulled = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        if (pulled > 40) controller.close();
        else controller.enqueue(new TextEncoder().encode(line(update('x'.repeat(64 * 1024)))));
      },
    });
    const transport = ndjsonTransport(source, new WritableStream());
    const { received: messages } = listened(transport, {
      onMessage: () => messages.length === 1 && transport.pause?.(),
    });
    while (pulled < 5) await new Promise((resolve) => setImmediate(resolve));
    for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBeLessThan(10);
    expect(messages).toHaveLength(1);
    transport.resume?.();
    await transport.ended;
    expect(messages).toHaveLength(40);
  });
});

test.each([
  ['whole', line(update('last')).trimEnd(), [update('last')], []],
  ['empty', '', [], []],
  ['cut off', '{"jsonrpc":', [], ['transport.truncated']],
])('a last line without a line feed that is %s is read once', async (_what, rest, last, expectedRules) => {
  const input = new PassThrough();
  const transport = ndjsonTransport(input, new PassThrough());
  const { received: messages, rules } = listened(transport);
  input.end(line(update('first')) + rest);
  expect(await transport.ended).toEqual({});
  expect(messages).toEqual([update('first'), ...last]);
  expect(rules()).toEqual(expectedRules);
});

test.each([
  ['ends and does not close', (input: PassThrough) => input.end()],
  ['closes and does not end', (input: PassThrough) => input.destroy()],
])('a stream of Node that %s ends the channel', async (_how, end) => {
  const input = new PassThrough({ autoDestroy: false });
  const transport = ndjsonTransport(input, new PassThrough());
  listened(transport);
  end(input);
  expect(await transport.ended).toEqual({});
});

test('a stream of Node is paused while more waits than the limit', async () => {
  const input = new PassThrough();
  const transport = ndjsonTransport(input, new PassThrough());
  const { received: messages } = listened(transport, {
    onMessage: () => messages.length === 1 && transport.pause?.(),
  });
  input.write(line(update('')).repeat(10_000));
  while (messages.length < 1) await new Promise((resolve) => setImmediate(resolve));
  expect(input.isPaused()).toBe(true);
  input.end(line(update('last')));
  transport.resume?.();
  await transport.ended;
  expect(messages).toHaveLength(10_001);
});

test('a stream need not have `destroy`, and a part of one of the web need not have bytes', async () => {
  const listeners = new Map<string, (chunk: Uint8Array) => void>();
  const source: NodeByteSource = {
    // Only chunks are sent.
    on: (event, listener) => listeners.set(event, listener as (chunk: Uint8Array) => void),
    pause: () => {},
    resume: () => {},
  };
  const transport = ndjsonTransport(source, new PassThrough(), { maxLineBytes: 1 });
  listened(transport);
  listeners.get('data')?.(new TextEncoder().encode('long'));
  expect((await transport.ended).error).toMatchObject({ limitBytes: 1 });

  const parts = [{}, { value: new TextEncoder().encode(line(update('a'))) }];
  const read = async () => ({ done: parts.length === 0, ...parts.shift() });
  const web = ndjsonTransport({ getReader: () => ({ read, cancel: async () => {} }) }, new WritableStream());
  const { received: messages } = listened(web);
  expect(await web.ended).toEqual({});
  expect(messages).toEqual([update('a')]);
});

test('an input is paused once above the limit of what waits, and resumed once below it', () => {
  const { input, calls, push, end } = scriptedInput();
  const reader = new LineReader(input, 1000);
  reader.listen({ onMessage: () => {}, onDiagnostic: () => {}, onActivity: () => {} });
  reader.pause();
  push(new Uint8Array(256 * 1024).fill(0x0a));
  expect(calls).toEqual([]);
  for (let count = 0; count < 2; count++) push(Uint8Array.of(0x0a));
  expect(calls).toEqual(['pause']);
  // What follows the end has no input that could be paused or resumed.
  end();
  reader.resume();
  expect(calls).toEqual(['pause']);
});

/** An input that does what the test says, and the calls that it gets. */
function scriptedInput() {
  const calls: string[] = [];
  let onChunk: (chunk: Uint8Array) => void = () => {};
  let onEnd: (error?: unknown) => void = () => {};
  const input: ByteInput = {
    start(...listeners) {
      [onChunk, onEnd] = listeners;
    },
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    stop: () => calls.push('stop'),
  };
  return {
    input,
    calls,
    push: (chunk: Uint8Array) => onChunk(chunk),
    end: (error?: unknown) => onEnd(error),
  };
}

/** A channel whose input and output do what the test says, and the calls that they get. */
function scripted(limits: Parameters<typeof lineTransport>[2] = {}) {
  const { input, calls, push, end } = scriptedInput();
  const output: ByteOutput = {
    write: async () => {
      throw new Error('full');
    },
    end: () => void calls.push('end'),
  };
  const transport = lineTransport(input, output, limits);
  return { transport, calls, push: (text: string) => push(bytes(text)), end };
}

test('a channel that ends in an orderly way is closed once, by its user', async () => {
  const { transport, calls, end } = scripted();
  end();
  await transport.ended;
  expect(calls).toEqual([]);
  await Promise.all([transport.close(), transport.close()]);
  expect(calls).toEqual(['end']);
});

test.each([
  [
    'a line over the limit',
    (channel: ReturnType<typeof scripted>) => channel.push('long'),
    /sent a line longer than 1 bytes.+Raise maxLineBytes/,
  ],
  [
    'a failure of its input',
    (channel: ReturnType<typeof scripted>) => channel.end(new Error('no net')),
    /no net/,
  ],
])('the first error of a channel counts: %s', async (_, fail, message) => {
  const channel = scripted({ maxLineBytes: 1 });
  const { transport, calls } = channel;
  const { activity } = listened(transport);
  transport.pause?.();
  channel.push('{');
  fail(channel);
  channel.push('long');
  transport.resume?.();
  channel.end(new Error('later'));
  expect((await transport.ended).error?.message).toMatch(message);
  expect(calls).toEqual(['end', 'stop']);
  expect(activity()).toBeGreaterThan(1);
});

test('what could not be written waits no more', async () => {
  const { transport } = scripted();
  await expect(transport.send({})).rejects.toThrow('full');
  expect(transport.queuedBytes).toBe(0);
});

test('a source of the web that was paused can be stopped, and a sink that fails refuses what is sent', async () => {
  const input = inputFrom(new ReadableStream<Uint8Array>());
  const ended = new Promise<void>((resolve) =>
    input.start(
      () => {},
      () => resolve(),
    ),
  );
  input.pause();
  input.stop();
  await ended;
  const output = outputTo(
    new WritableStream<Uint8Array>({ start: (controller) => controller.error(new Error('gone')) }),
  );
  await expect(output.write('a')).rejects.toThrow('gone');
  // This write fails too. Its error is ignored.
  output.end();
});

test('the bytes that the other side has not taken are counted', async () => {
  let take = () => {};
  const sink = new Writable({
    write(_chunk, _encoding, done) {
      take = done;
    },
  });
  const transport = ndjsonTransport(new PassThrough(), sink);
  const sent = transport.send({ text: 'é' });
  expect(transport.queuedBytes).toBe(Buffer.byteLength(line({ text: 'é' })));
  take();
  await sent;
  expect(transport.queuedBytes).toBe(0);
});

test('a transport that nothing listens to ends too', async () => {
  const source = new PassThrough();
  const transport = ndjsonTransport(source, new PassThrough());
  source.end('{"text":"kept"}\n');
  expect(await transport.ended).toEqual({});
  const { received: messages } = listened(transport);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(messages).toEqual([{ text: 'kept' }]);
});

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a line that comes in chunks', () => {
  const push = (...chunks: string[]) => {
    const lines = new LineDecoder(10);
    for (const chunk of chunks) lines.push(bytes(chunk));
    return lines;
  };

  test('[reliability: limit-line] has the same limit as one that comes whole', () => {
    expect(push('12345', '67890', '\n').take()).toBe('1234567890');
    expect(push('12345', '678901', '\n').take()).toBe(tooLong);
    expect(push('1234', '5678', '9012').take()).toBe(tooLong);
  });

  test('waits until it is looked through', () => {
    const lines = new LineDecoder(10);
    const waiting = (taken: unknown) => [taken, lines.queuedBytes];
    lines.push(bytes('ab\ncd'));
    lines.push(bytes('e'));
    expect(lines.queuedBytes).toBe(6);
    expect(waiting(lines.take())).toEqual(['ab', 3]);
    expect(waiting(lines.take())).toEqual([undefined, 0]);
    lines.push(bytes('f\n\ng'));
    expect(waiting(lines.take())).toEqual(['cdef', 2]);
    expect(waiting(lines.take())).toEqual(['', 1]);
    expect(waiting(lines.take())).toEqual([undefined, 0]);
    expect(lines.rest()).toBe('g');
  });

  test('[reliability: limit-line] is given up before its end arrives, and nothing is read after it', () => {
    const lines = push('1234', '5678');
    expect(lines.take()).toBe(undefined);
    lines.push(bytes('9012'));
    expect(lines.take()).toBe(tooLong);
    lines.push(bytes('\nnext\n'));
    expect([lines.take(), lines.rest(), lines.queuedBytes]).toEqual([undefined, '', 0]);
  });
});

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test.each([
  ['{"a":1}', { a: 1 }],
  [' \t[1]\r', [1]],
  ['\ufeff{"a":1}', { a: 1 }],
  ['', 'blank'],
  [' \r', 'blank'],
  ['42', 'noise'],
  ['"{"', 'noise'],
  ['null', 'noise'],
  ['{"a":', 'noise'],
  ['[1]]', 'noise'],
  ['Loading…', 'noise'],
])('%j is %j', (line, expected) => {
  expect(parseMessage(line)).toEqual(expected);
});

test('[reliability: limit-nesting] the deepest message taken can be cloned, frozen and written', () => {
  const message = parseMessage(nested(maxDepth));
  expect(typeof message).toBe('object');
  expect(structuredClone(message)).toEqual(message);
});

test.each([maxDepth + 1, 100_000, 500_000])(
  '[reliability: limit-nesting] %i levels are too many',
  (levels) => {
    expect(parseMessage(nested(levels))).toBe('deep');
  },
);

test('[reliability: limit-parts] a message has at most 2 million parts of all kinds, each of which counts once', () => {
  const all = ['{}', '[]', '"a"', '"\\\\\\"[{"'];
  const message = `[${`${all.join()},`.repeat(maxParts / all.length - 1)}${all.slice(1).join()}]`;
  expect(parseMessage(message)).toHaveLength(maxParts - 1);
  expect(parseMessage(message.replace('[', '[{},'))).toBe('crowded');
});

test.each([
  ['', 0],
  ['12, true', 0],
  ['{}', 1],
  ['[]', 1],
  ['"a"', 1],
  ['[{"a":"b"}]', 4],
  ['"\\"[{"', 1],
  ['["\\\\",[]]', 3],
  ['["\\\\\\"[",["]"]]', 4],
  ['"a\\\\" "b"[', 3],
  ['["[{', 2],
  ['["\\"', 2],
  ['{"[{', 2],
  ['[0,0,0]', 1],
])('%s has %i parts', (text, parts) => {
  expect([hasMoreParts(text, parts - 1), hasMoreParts(text, parts)]).toEqual([true, false]);
});

test('a null in the deepest level is no level', () => {
  expect(parseMessage('{"a":null,"b":[null]}', 2)).toEqual({ a: null, b: [null] });
});
