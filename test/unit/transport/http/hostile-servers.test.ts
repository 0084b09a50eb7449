import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { outline } from '../../../support/open-session.ts';
import { connectHttp, openChannel, openHttpSession } from '../../../support/raw-acp-connection.ts';
import {
  answerTo,
  chunk,
  event,
  initializeResult,
  type RawAnswer,
  rawServer,
} from '../../../support/raw-acp-server.ts';

const note = { jsonrpc: '2.0', method: '_test/note' };

const first =
  (kind: string, answer: (response: ServerResponse) => unknown): RawAnswer =>
  (request, response) =>
    request.kind === kind && void answer(response);

/** 16 MiB of one letter, in 16 kB. */
const bomb = gzipSync(Buffer.alloc(16 * 2 ** 20, 'x'));
const compressed = { 'content-encoding': 'gzip', 'acp-connection-id': 'c1' };

describe('a body that is small on the network and large when it is unpacked', () => {
  const maxMessageBytes = 100_000;

  test('of a stream ends the connection', async () => {
    const server = await rawServer({
      answer: first('GET', (to) =>
        to.writeHead(200, { 'content-type': 'text/event-stream', ...compressed }).write(bomb),
      ),
    });
    const { transport } = await openChannel(server.url, { maxMessageBytes });
    expect((await transport.ended).error).toMatchObject({
      name: 'MessageTooLargeError',
      limitBytes: 100_000,
    });
    await eventually(() => server.bodies()).toBe(0);
  });

  test('of a refusal is cut', async () => {
    const server = await rawServer({
      answer: first('POST session/prompt', (to) => to.writeHead(500, compressed).end(bomb)),
    });
    const { session } = await openHttpSession(server.url, { maxMessageBytes });
    const error: unknown = await session.prompt('Hello').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'HttpError', status: 500, body: expect.stringMatching(/^x+/) });
    expect((error as { body: string }).body.length).toBeLessThan(10_000);
  });
});

test('a stream of many comments and events without data brings the message that follows', async () => {
  const server = await rawServer();
  const { received } = await openChannel(server.url);
  await server.write(':\n\nevent: x\n\n\n\nretry: 1\n'.repeat(50_000));
  await server.send(note);
  await eventually(() => received.length).toBe(2);
  expect(received[1]).toEqual(note);
});

test('a client that is paused is sent no more than a little', async () => {
  const server = await rawServer();
  const { transport, received } = await openChannel(server.url);
  await eventually(() => received.length).toBe(1);
  transport.pause?.();
  await server.write(':\n\n');
  const count = 3000;
  const text = 'x'.repeat(10_000);
  let sent = 0;
  const sending = (async () => {
    const stream = server.stream();
    for (; stream && sent < count; sent++) {
      const hasRoom = stream.write(event({ ...note, params: { number: sent, text } }));
      if (!hasRoom) await new Promise((resolve) => stream.once('drain', resolve));
    }
  })();
  // It no longer grows.
  let before = -1;
  await eventually(
    () => {
      const isStill = sent === before;
      before = sent;
      return isStill;
    },
    { interval: 300 },
  ).toBe(true);
  expect(sent).toBeLessThan(count / 2);
  transport.resume?.();
  await sending;
  await eventually(() => received.length).toBe(count + 1);
  expect(received.at(-1)).toMatchObject({ params: { number: count - 1 } });
});

test('a server that never opens the stream of the connection: the connection ends', async () => {
  const server = await rawServer({ answer: first('GET', () => {}) });
  const { transport } = await openChannel(server.url, { openTimeoutMs: 100 });
  expect((await transport.ended).error?.message).toContain('did not answer within 100 ms');
  await eventually(() => server.bodies()).toBe(0);
});

test('headers that are too large for HTTP end the connection with an error that says so', async () => {
  const headers = { 'acp-connection-id': 'c1', 'x-large': 'x'.repeat(100_000) };
  const server = await rawServer({
    answer: first('POST initialize', (to) => to.writeHead(200, headers).end()),
  });
  await expect(connectHttp(server.url)).rejects.toThrow(/could not be reached: .*header.*/i);
});

test('hundreds of cookies: those that are kept fit into a request', async () => {
  let sent = 0;
  const server = await rawServer({
    answer: (_request, response) => {
      const cookies = Array.from({ length: 40 }, () => `c${sent++}=${'v'.repeat(200)}; Path=/`);
      response.setHeader('set-cookie', cookies);
      return false;
    },
  });
  const { session } = await openHttpSession(server.url);
  for (let count = 0; count < 4; count++) await session.prompt('Hello');
  expect(sent).toBeGreaterThan(200);
  const lengths = server.requests.map(({ headers }) => headers.cookie?.length ?? 0);
  // Node accepts headers of 16 KiB.
  expect(Math.max(...lengths)).toBeLessThan(12_000);
});

test('answers to calls that nobody made do not disturb the calls of the client', async () => {
  const server = await rawServer({
    agent: {
      'session/prompt': (message, { send }) => {
        for (const id of [-1, 1e9, 'x', 'acp-client-sdk-sync-1', 'acp-client-sdk-sync-99', 1.5]) {
          void send(answerTo({ id }, { stopReason: 'refusal', sessionId: 's1' }), 's1');
          void send(answerTo({ id }, { sessionId: 'other' }));
        }
        void send(chunk('s1', 'Hello'), 's1');
        return { id: message['id'] === undefined, stopReason: 'end_turn' };
      },
    },
  });
  const { session } = await openHttpSession(server.url);
  expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
  expect(outline(session.conversation)).toEqual(['user: Hello', 'agent: Hello']);
  expect(server.count('GET other')).toBe(0);
});

test('a session id that a header cannot carry is sent in the message, and in no header', async () => {
  const server = await rawServer({ agent: { 'session/load': () => ({}) } });
  const { transport, received } = await openChannel(server.url);
  const ids = ['s1\r\nx-injected: 1', 's1\nx', 's1\0', 's 1', 'sé家', 's'.repeat(5000), ''];
  const calls = ids.map((sessionId, at) => ({
    jsonrpc: '2.0',
    id: at + 1,
    method: 'session/load',
    params: { sessionId },
  }));
  for (const call of calls) await transport.send(call);
  await eventually(() => received.length).toBe(1 + ids.length);
  expect(received.slice(1)).toEqual(calls.map(({ id }) => answerTo({ id }, {})));
  const loads = server.requests.filter(({ kind }) => kind === 'POST session/load');
  expect(loads.map(({ message }) => message)).toEqual(calls);
  for (const { headers } of server.requests) {
    expect(headers['acp-session-id']).toBeUndefined();
    expect(headers['x-injected']).toBeUndefined();
  }
});

test('the connection id of the server is sent back as it is, whatever it says', async () => {
  const id = `c1 ; é "x", ${'y'.repeat(3000)}`;
  const server = await rawServer({
    answer: ({ kind, message }, response) =>
      kind === 'POST initialize' &&
      response
        .writeHead(200, { 'acp-connection-id': id })
        .end(JSON.stringify(answerTo(message, initializeResult))),
  });
  const { session } = await openHttpSession(server.url);
  expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
  const sent = server.requests.slice(1).map(({ headers }) => headers['acp-connection-id']);
  expect(new Set(sent)).toEqual(new Set([id]));
});
