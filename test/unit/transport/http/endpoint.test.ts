import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { eventually } from '../../../support/eventually.ts';
import { connectHttp, openChannel } from '../../../support/raw-acp-connection.ts';
import {
  answerTo,
  event,
  initializeResult,
  type RawAnswer,
  rawServer,
} from '../../../support/raw-acp-server.ts';

const cwd = '/project';
const prompt = [{ type: 'text' as const, text: 'Hello' }];

const page = '<!DOCTYPE html><html><head><title>Sign in to Example</title></head><body>…</body></html>';

/** Answers `initialize` with this. */
const initializeWith =
  (headers: Record<string, string>, body: string | ((id: unknown) => string)): RawAnswer =>
  ({ kind, message }, response) =>
    kind === 'POST initialize' &&
    response.writeHead(200, headers).end(typeof body === 'string' ? body : body(message['id']));

describe('an answer to initialize that is not one of streamable HTTP ends the connection', () => {
  test.each<[string, RawAnswer, string]>([
    [
      'a page of HTML',
      initializeWith({ 'content-type': 'text/html' }, page),
      'the answer has no header Acp-Connection-Id and a page of HTML, which probably a proxy wrote (Sign in to Example). Check the URL.',
    ],
    [
      'a page of HTML with the header',
      initializeWith({ 'acp-connection-id': 'c1' }, `\n ${page}`),
      'the answer is not a JSON message and a page of HTML, which probably a proxy wrote (Sign in to Example). Check the URL.',
    ],
    [
      'no Acp-Connection-Id',
      initializeWith({}, (id) => JSON.stringify(answerTo({ id: id as number }, initializeResult))),
      'the answer has no header Acp-Connection-Id',
    ],
    [
      'nothing',
      initializeWith({ 'acp-connection-id': 'c1' }, ''),
      'the answer is not a JSON message. Check the URL.',
    ],
    [
      'text',
      initializeWith({ 'acp-connection-id': 'c1' }, 'It works!'),
      'the answer is not a JSON message (It works!).',
    ],
    [
      'an answer that breaks off',
      ({ kind }, response) => {
        if (kind !== 'POST initialize') return false;
        response.writeHead(200, { 'acp-connection-id': 'c1', 'content-length': '1000' });
        return response.write('{"jsonrpc":', () => response.destroy());
      },
      'the answer is longer than maxMessageBytes, or broke off',
    ],
  ])('%s', async (_case, answer, text) => {
    const server = await rawServer({ answer });
    const opening = connectHttp(server.url);
    await expect(opening).rejects.toThrow(`initialize: ${server.url} does not speak streamable HTTP of ACP`);
    await expect(opening).rejects.toThrow(text);
  });

  test('a longer one than maxMessageBytes', async () => {
    const headers = { 'acp-connection-id': 'c1' };
    const server = await rawServer({ answer: initializeWith(headers, `{"pad":"${'x'.repeat(100_000)}"}`) });
    await expect(connectHttp(server.url, { maxMessageBytes: 10_000 })).rejects.toThrow(
      'longer than maxMessageBytes',
    );
  });
});

test('a refusal of initialize without a connection id is the error of the agent', async () => {
  const error = { code: -32000, message: 'Log in first' };
  const server = await rawServer({
    answer: initializeWith({}, (id) => JSON.stringify({ jsonrpc: '2.0', id, error })),
  });
  await expect(connectHttp(server.url)).rejects.toThrow('Log in first');
});

test('a page of HTML for a later message ends the connection, and is named', async () => {
  const server = await rawServer({
    answer: ({ kind }, response) => kind === 'POST session/prompt' && response.writeHead(200).end(page),
  });
  const { connection } = await connectHttp(server.url);
  const session = await connection.newSession({ cwd });
  const message =
    /session\/prompt: .* did not take the message\. It answered with status 200 and a page of HTML, which probably a proxy wrote \(Sign in to Example\)/;
  await expect(session.prompt(prompt)).rejects.toThrow(message);
  expect((await connection.closed).error?.message).toMatch(message);
});

test.each(['ok', 'Accepted', ''])(
  'the text %j with a status of success says that the message was taken',
  async (text) => {
    const server = await rawServer({
      answer: async ({ kind, message }, response) => {
        if (kind !== 'POST session/prompt') return false;
        response.writeHead(202).end(text);
        await server.send(answerTo(message, { stopReason: 'end_turn' }), 's1');
      },
    });
    const { connection } = await connectHttp(server.url);
    const session = await connection.newSession({ cwd });
    expect((await session.prompt(prompt)).stopReason).toBe('end_turn');
  },
);

describe('an answer to a POST whose body does not end', () => {
  /** Takes each prompt, begins a body, and sends a character of it from time to time. */
  const drip = (status: number): RawAnswer => {
    return ({ kind }, response) => {
      if (kind !== 'POST session/prompt') return false;
      response.writeHead(status, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
  };

  test('does not keep the next message of the session back', async () => {
    const server = await rawServer({ answer: drip(202) });
    const { connection } = await connectHttp(server.url, { requestTimeoutMs: 1000 });
    const session = await connection.newSession({ cwd });
    const turn = session.prompt(prompt);
    await server.came('POST session/prompt');
    void session.cancel();
    await server.came('POST session/cancel');
    await server.send(
      answerTo(server.requests.find(({ kind }) => kind === 'POST session/prompt')?.message ?? {}, {
        stopReason: 'cancelled',
      }),
      's1',
    );
    expect((await turn).stopReason).toBe('cancelled');
  });

  test('ends with the connection', async () => {
    const server = await rawServer({ answer: drip(202) });
    const { transport } = await openChannel(server.url);
    void transport.send({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: {} });
    await server.came('POST session/prompt');
    await transport.close();
    await eventually(() => server.bodies()).toBe(0);
  });

  test('is shown as far as it came, if the server refuses', async () => {
    const server = await rawServer({ answer: drip(500) });
    const { connection } = await connectHttp(server.url);
    const session = await connection.newSession({ cwd });
    await expect(session.prompt(prompt)).rejects.toMatchObject({
      status: 500,
      body: expect.stringMatching(/^ +$/),
    });
  });
});

test('an array of messages on a stream: each counts as if it came alone', async () => {
  const server = await rawServer({
    agent: { 'session/load': () => undefined, '_acp-client-sdk/sync': () => undefined },
  });
  const { transport, received } = await openChannel(server.url);
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'session/load', params: { sessionId: 's1' } });
  await server.came('POST session/load');
  await server.write(event([answerTo({ id: 1 }, {}), { jsonrpc: '2.0', method: '_test/note' }, 7]));
  await server.came('POST _acp-client-sdk/sync');
  // The answer waits for what the session's stream may still bring.
  await eventually(() => received.length).toBe(2);
  expect(received[1]).toEqual([{ jsonrpc: '2.0', method: '_test/note' }, 7]);
  const sync = server.requests.find(({ kind }) => kind === 'POST _acp-client-sdk/sync')?.message ?? {};
  await server.write(
    event([{ jsonrpc: '2.0', id: sync['id'] as string, error: { code: -32601, message: '' } }]),
    's1',
  );
  await eventually(() => received[2]).toEqual([answerTo({ id: 1 }, {})]);
});

test('the answer to a request of the agent that names no session names the one on whose stream it came', async () => {
  const server = await rawServer({ agent: { 'session/prompt': () => undefined } });
  const { transport } = await openChannel(
    server.url,
    {},
    {
      onMessage: (message) => {
        const { id } = message as JsonObject;
        if (id !== 0) void transport.send(answerTo({ id } as JsonObject, {}));
      },
    },
  );
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 's1' } });
  const request = { jsonrpc: '2.0', method: 'mcp/message', params: { method: 'tools/list' } };
  await server.send({ ...request, id: 77 }, 's1');
  await server.came('POST');
  await server.send({ ...request, id: 78 });
  await server.came('POST', 2);
  const answers = server.requests.filter(({ kind }) => kind === 'POST');
  expect(answers.map(({ message, headers }) => [message['id'], headers['acp-session-id']])).toEqual([
    [77, 's1'],
    [78, undefined],
  ]);
});

test('what withdraws a call is sent when the server has taken the call, and other messages do not wait for it', async () => {
  let take = () => {};
  const server = await rawServer({
    answer: ({ kind }, response) => {
      if (kind !== 'POST session/set_mode') return false;
      take = () => response.writeHead(202).end();
    },
  });
  const { transport } = await openChannel(server.url);
  void transport.send({ jsonrpc: '2.0', id: 5, method: 'session/set_mode', params: { sessionId: 's1' } });
  void transport.send({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 5 } });
  await server.came('POST session/set_mode');
  await transport.send({ jsonrpc: '2.0', id: 6, method: '_test/ping' });
  expect(server.count('POST $/cancel_request')).toBe(0);
  take();
  await server.came('POST $/cancel_request');
});
