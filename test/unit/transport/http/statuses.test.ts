import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../../../src/core/base/errors.ts';
import { connectHttp, cwd, openChannel, openHttpSession } from '../../../support/raw-acp-connection.ts';
import { type RawRequest, rawServer } from '../../../support/raw-acp-server.ts';
import { letTimePass } from '../../../support/time.ts';

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}, body = '') =>
  response.writeHead(status, headers).end(body);

/** Answers the first requests of a kind, and leaves all others to the server. */
function first(times: number, kind: string, answer: (response: ServerResponse) => unknown) {
  let left = times;
  return (request: RawRequest, response: ServerResponse) => {
    if (request.kind !== kind || left-- <= 0) return false;
    answer(response);
    return true;
  };
}

describe('[reliability: remote-statuses] a server that answers 401', () => {
  test('gets the request again with new headers, which are asked for once', async () => {
    const { url, requests } = await rawServer({
      answer: ({ headers }, response) =>
        headers.authorization === 'Bearer second-token' ? false : refuse(response, 401),
    });
    const tokens = ['first', 'second', 'third'];
    let calls = 0;
    const headers = async () => ({ authorization: `Bearer ${tokens[calls++]}-token` });
    const { session } = await openHttpSession(url, { headers });
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(calls).toBe(2);
    expect(requests.slice(0, 2).map(({ kind }) => kind)).toEqual(['POST initialize', 'POST initialize']);
  });

  test('is asked for once by many requests that it refuses together', async () => {
    let valid = 'Bearer token-1';
    let calls = 0;
    const { url } = await rawServer({
      answer: ({ headers }, response) => (headers.authorization === valid ? false : refuse(response, 401)),
      agent: { 'session/list': () => ({ sessions: [] }), '_test/echo': () => ({}) },
    });
    const headers = async () => {
      calls++;
      await letTimePass(20);
      return { authorization: `Bearer token-${calls}` };
    };
    const { connection } = await connectHttp(url, { headers });
    const sessions = ['a', 'b', 'c', 'd'];
    await Promise.all(sessions.map((sessionId) => connection.loadSession({ sessionId, cwd })));
    valid = 'Bearer token-2';
    await Promise.all(connection.sessions.map((session) => session.prompt('Hello')));
    expect(calls).toBe(2);
  });

  test('ends the connection if the new headers are refused too', async () => {
    let isValid = true;
    let calls = 0;
    const server = await rawServer({
      answer: (_request, response) => (isValid ? false : refuse(response, 401, {}, 'token expired')),
    });
    const headers = () => ({ authorization: `Bearer token-number-${++calls}` });
    const { connection, session } = await openHttpSession(server.url, { headers });
    isValid = false;
    await expect(session.prompt('Hello')).rejects.toMatchObject({ status: 401 });
    const { error } = await connection.closed;
    expect(error).toBeInstanceOf(HttpError);
    expect(error?.message).toMatch(/status 401 \(token expired\)\. Log in again/);
    expect(calls).toBe(2);
    expect(server.count('POST session/prompt')).toBe(2);
  });

  test('ends the connection at once if the headers are not a function', async () => {
    const server = await rawServer({ answer: (_request, response) => refuse(response, 401) });
    const opening = connectHttp(server.url, { headers: { authorization: 'Bearer a-token' } });
    await expect(opening).rejects.toMatchObject({ name: 'HttpError', status: 401 });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  [403, 'Ask the person who runs the server.'],
  [404, 'Check the URL, then connect again.'],
  [410, 'Connect again.'],
])(
  '[reliability: remote-statuses] status %i ends the connection, and the error says who can act',
  async (status, advice) => {
    const server = await rawServer({ answer: first(1, 'POST session/prompt', (to) => refuse(to, status)) });
    const { connection, session } = await openHttpSession(server.url);
    await expect(session.prompt('Hello')).rejects.toMatchObject({ status });
    const { error } = await connection.closed;
    expect(error).toMatchObject({ name: 'HttpError', status });
    expect(error?.message).toContain(`session/prompt: ${server.url} answered with status ${status}.`);
    expect(error?.message).toContain(advice);
  },
);

test.each([
  ['a notification', { jsonrpc: '2.0', method: 'session/cancel', params: {} }],
  ['an answer', { jsonrpc: '2.0', id: 7, result: {} }],
])('[reliability: remote-statuses] %s that the server refuses ends the connection', async (_, message) => {
  const server = await rawServer({
    answer: ({ kind }, response) =>
      kind.startsWith('POST') && !kind.endsWith(' initialize') && refuse(response, 500),
  });
  const { transport } = await openChannel(server.url);
  await transport.send(message);
  expect((await transport.ended).error).toMatchObject({ name: 'HttpError', status: 500 });
});

describe('[reliability: remote-statuses] a session for which the server answers 409', () => {
  test.each([
    ['without reconnect', {}],
    ['with reconnect', { reconnect: { firstDelayMs: 1 } }],
  ])('ends, and the others go on: %s', async (_case, options) => {
    const server = await rawServer({
      answer: ({ kind, headers }, response) =>
        kind === 'POST session/prompt' && headers['acp-session-id'] === 'one' ? refuse(response, 409) : false,
    });
    const { connection } = await connectHttp(server.url, {}, options);
    const one = await connection.loadSession({ sessionId: 'one', cwd });
    const two = await connection.loadSession({ sessionId: 'two', cwd });
    await expect(one.prompt('Hello')).rejects.toThrow('status 409. Another client reads this session');
    expect(await one.closed).toMatchObject({ reason: 'lost', error: { status: 409 } });
    expect((await two.prompt('Hello')).stopReason).toBe('end_turn');
    // It is not taken back from the other client.
    expect(server.count('POST session/load')).toBe(2);
    expect(server.count('POST session/resume')).toBe(0);
    expect(server.count('POST session/prompt')).toBe(2);
    expect(server.count('GET one')).toBe(1);
    expect(connection.sessions.map(({ sessionId }) => sessionId)).toEqual(['two']);
  });
});

describe('[reliability: remote-statuses] a request that the server postpones', () => {
  test.each([429, 503])('is sent again after status %i with Retry-After', async (status) => {
    const server = await rawServer({
      answer: first(1, 'POST session/prompt', (to) => refuse(to, status, { 'retry-after': '0' })),
    });
    const { session } = await openHttpSession(server.url);
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(server.count('POST session/prompt')).toBe(2);
  });

  test.each([
    [429, {}, 1],
    [503, { 'retry-after': 'soon' }, 1],
    [503, { 'retry-after': '61' }, 1],
    [503, { 'retry-after': '0' }, 6],
    [500, { 'retry-after': '0' }, 1],
  ])(
    '[reliability: limit-retries] fails after status %i with %j: it is sent %i times',
    async (status, headers, times) => {
      const server = await rawServer({
        answer: first(99, 'POST session/prompt', (to) => refuse(to, status, headers)),
      });
      const { connection, session } = await openHttpSession(server.url);
      await expect(session.prompt('Hello')).rejects.toMatchObject({ name: 'HttpError', status });
      expect(server.count('POST session/prompt')).toBe(times);
      // The connection goes on.
      expect((await connection.loadSession({ sessionId: 'other', cwd })).sessionId).toBe('other');
    },
  );
});

describe('[reliability: remote-prompt-once] a prompt whose fate is unknown is not sent again', () => {
  test('status 502', async () => {
    const server = await rawServer({ answer: first(1, 'POST session/prompt', (to) => refuse(to, 502)) });
    const { session } = await openHttpSession(server.url, {}, { reconnect: { firstDelayMs: 1 } });
    await expect(session.prompt('Hello')).rejects.toMatchObject({ name: 'HttpError', status: 502 });
    // The session goes on.
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(server.count('POST session/prompt')).toBe(2);
  });

  test('a reset after the server has read it', async () => {
    const server = await rawServer({
      answer: first(1, 'POST session/prompt', (to) => to.socket?.resetAndDestroy()),
    });
    const { connection, session } = await openHttpSession(server.url, {}, { reconnect: { firstDelayMs: 1 } });
    await expect(session.prompt('Hello')).rejects.toThrow(/could not be reached/);
    await server.came('POST initialize', 2);
    await connection.ready;
    expect(server.count('POST session/load') + server.count('POST session/resume')).toBe(1);
    await session.prompt('Hello');
    expect(server.count('POST session/prompt')).toBe(2);
  });

  test('a reset before the server has read it', async () => {
    let resets: 'not yet' | 'next' | 'done' = 'not yet';
    const server = await rawServer({
      beforeBody: ({ socket }) => {
        if (resets !== 'next') return false;
        resets = 'done';
        return socket.resetAndDestroy();
      },
    });
    const { connection, session } = await openHttpSession(server.url);
    resets = 'next';
    await expect(session.prompt('Hello')).rejects.toThrow('could not be reached');
    await connection.closed;
    expect(server.count('POST session/prompt')).toBe(0);
  });

  test('no answer in time', async () => {
    const server = await rawServer({ answer: first(1, 'POST session/prompt', () => {}) });
    const { session } = await openHttpSession(server.url, { requestTimeoutMs: 300 });
    await expect(session.prompt('Hello')).rejects.toThrow('did not answer within 300 ms');
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(server.count('POST session/prompt')).toBe(2);
  });
});
