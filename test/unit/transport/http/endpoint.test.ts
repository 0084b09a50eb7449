import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { Endpoint } from '../../../../src/core/transport/http/endpoint.ts';
import { HttpClient } from '../../../../src/core/transport/http/http-client.ts';
import { connectHttp, openChannel, openHttpSession } from '../../../support/raw-acp-connection.ts';
import { answerTo, type RawAnswer, rawServer } from '../../../support/raw-acp-server.ts';
import { passTime, stopClock } from '../../../support/timed-acp-server.ts';

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
      'a page of HTML with the header',
      initializeWith({ 'acp-connection-id': 'c1' }, `\n ${page}`),
      'the answer is not a JSON message and a page of HTML, which probably a proxy wrote (Sign in to Example). Check the URL.',
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
});

test('a page of HTML for a later message ends the connection, and is named', async () => {
  const server = await rawServer({
    answer: ({ kind }, response) => kind === 'POST session/prompt' && response.writeHead(200).end(page),
  });
  const { connection, session } = await openHttpSession(server.url);
  const message =
    /session\/prompt: .* did not take the message\. It answered with status 200 and a page of HTML, which probably a proxy wrote \(Sign in to Example\)/;
  await expect(session.prompt('Hello')).rejects.toThrow(message);
  expect((await connection.closed).error?.message).toMatch(message);
});

test('a text with a status of success says that the message was taken', async () => {
  const texts = ['ok', 'Accepted', ''];
  const server = await rawServer({
    answer: async ({ kind, message }, response) => {
      if (kind !== 'POST session/prompt') return false;
      response.writeHead(202).end(texts.shift());
      await server.send(answerTo(message, { stopReason: 'end_turn' }), 's1');
    },
  });
  const { session } = await openHttpSession(server.url);
  while (texts.length > 0) expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
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

/** The server's end of a connection, whose requests are answered by a function. */
function endpointOf(answer: (method: string, sent: Headers) => Response) {
  const sent: { readonly method: string; readonly headers: Headers }[] = [];
  const ending = new AbortController();
  const answering: typeof fetch = async (_url, { method = '', headers } = {}) => {
    sent.push({ method, headers: new Headers(headers) });
    return answer(method, new Headers(headers));
  };
  const options = { fetch: answering };
  const client = new HttpClient(new URL('https://agents.example.com/acp'), options, () => {});
  return { endpoint: new Endpoint(client, options, ending.signal), sent, signal: ending.signal };
}

const connected = (body = '{"jsonrpc":"2.0","id":0,"result":{}}') =>
  new Response(body, { headers: { 'acp-connection-id': 'c1' } });

/** A body that has begun and does not end. */
const unfinished = (text: string) =>
  new ReadableStream<Uint8Array>({
    start: (control) => {
      if (text !== '') control.enqueue(new TextEncoder().encode(text));
    },
  });

describe('a request to the endpoint', () => {
  test('leaves nothing at the signals that end it', async () => {
    const { endpoint, signal } = endpointOf((method) =>
      method === 'DELETE' ? new Response(null, { status: 502 }) : connected(),
    );
    await endpoint.initialize('{}');
    await endpoint.send('a message', '{}', undefined);
    await endpoint.leave();
    const waiting = new AbortController();
    await expect(endpoint.confirmEnd(waiting.signal)).rejects.toMatchObject({ status: 502 });
    expect([signal, waiting.signal].map((each) => getEventListeners(each, 'abort').length)).toEqual([0, 0]);
  });

  test.each([
    ['', ''],
    [' \n', ' \n'],
    ['{"jsonrpc":', 'the answer is not known'],
  ])('whose answer %j does not end has been taken, or its answer is lost', async (text, outcome) => {
    stopClock();
    const { endpoint } = endpointOf(() => new Response(unfinished(text)));
    const answered = endpoint
      .send('a message', '{}', undefined)
      .catch(({ code, message }) =>
        code === 'connection.closed' && message.includes('or broke off')
          ? 'the answer is not known'
          : message,
      );
    await passTime(30_000);
    expect(await answered).toBe(outcome);
  });
});

describe('the end of a connection', () => {
  test.each([
    ['an answer whose body does not end', () => new Response(unfinished(''))],
    ['a refusal', () => new Response(null, { status: 404 })],
  ])('is known to the server after %s', async (_, answer) => {
    stopClock();
    const { endpoint, sent } = endpointOf((method) => (method === 'DELETE' ? answer() : connected()));
    await endpoint.initialize('{}');
    void endpoint.leave();
    await passTime(2000);
    await endpoint.confirmEnd(new AbortController().signal);
    expect(sent.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  test('ends on the server, also if it was made by an initialize that the agent refused', async () => {
    const refusal = '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"No"}}';
    const { endpoint, sent } = endpointOf(() => connected(refusal));
    expect(await endpoint.initialize('{}')).toEqual({ text: refusal, isRefusal: false });
    await endpoint.leave();
    expect(sent.at(-1)?.method).toBe('DELETE');
    expect(sent.at(-1)?.headers.get('acp-connection-id')).toBe('c1');
  });
});
