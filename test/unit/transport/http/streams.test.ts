import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { textOf } from '../../../../src/core/conversation/select.ts';
import { outline } from '../../../support/open-session.ts';
import { connectHttp, cwd, openHttpSession, streamableHttp } from '../../../support/raw-acp-connection.ts';
import { answerTo, chunk, event, type RawServer, rawServer } from '../../../support/raw-acp-server.ts';
import { allHappened } from '../../../support/timed-acp-server.ts';
import { openTimedChannel } from '../../../support/timed-channel.ts';

const reconnect = { reconnect: { firstDelayMs: 1 } };

/** A turn that the agent plays in its own time. */
function turnOf(play: (message: JsonObject, server: RawServer) => Promise<void>) {
  return (message: JsonObject, server: RawServer) => {
    void play(message, server);
    return undefined;
  };
}

describe('a POST that is answered with an event stream', () => {
  const play = (events: (message: JsonObject) => readonly object[]) =>
    rawServer({
      answer: ({ kind, message }, response) => {
        if (kind !== 'POST session/prompt') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const one of events(message)) response.write(event(one));
        response.end();
        return true;
      },
    });

  test('brings the updates and the answer', async () => {
    const server = await play((message) => [
      chunk('s1', 'Hi.'),
      answerTo(message, { stopReason: 'end_turn' }),
    ]);
    const { diagnostics, session } = await openHttpSession(server.url);
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(outline(session.conversation)).toEqual(['user: Hello', 'agent: Hi.']);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('that ends without the answer fails the call', async () => {
    const server = await play(() => [chunk('s1', 'Hi.')]);
    const { session } = await openHttpSession(server.url);
    await expect(session.prompt('Hello')).rejects.toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('The server ended the stream.'),
    });
  });
});

describe('a stream that ends in a turn', () => {
  test('[reliability: remote-streams] is opened again at its last event, and what comes twice is folded once', async () => {
    const server = await rawServer({
      agent: {
        'session/prompt': turnOf(async (message, { write, stream, came }) => {
          await write(event(chunk('s1', 'one '), 'a'), 's1');
          await write(event(chunk('s1', 'two '), 'b'), 's1');
          stream('s1')?.end();
          await came('GET s1', 2);
          // Not only the last event, which would be dropped without a break too.
          await write(event(chunk('s1', 'one '), 'a'), 's1');
          await write(event(chunk('s1', 'two '), 'b'), 's1');
          await write(event(chunk('s1', 'three'), 'c'), 's1');
          await write(event(answerTo(message, { stopReason: 'end_turn' }), 'd'), 's1');
        }),
      },
    });
    const { diagnostics, session } = await openHttpSession(server.url, {}, reconnect);
    expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
    expect(
      session.conversation.entries.map((entry) => ('role' in entry ? textOf(entry) : entry.kind)),
    ).toEqual(['Hello', 'one two three']);
    const opened = server.requests.filter(({ kind }) => kind === 'GET s1');
    expect(opened.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'b']);
    expect(diagnostics).toMatchObject([{ rule: 'transport.stream', severity: 'info' }]);
  });

  test('[reliability: remote-gap] without ids of events is a gap in its session, which is opened again; the others go on', async () => {
    const server = await rawServer({
      agent: {
        'session/prompt': turnOf(async ({ params, ...message }, { write, stream, send, came }) => {
          const { sessionId } = params as { sessionId: string };
          if (sessionId === 'other') {
            await came('POST session/load');
            await send(chunk('other', 'Still here.'), 'other');
            await send(answerTo(message, { stopReason: 'end_turn' }), 'other');
          } else {
            await write(event(chunk('s1', 'Half of')), 's1');
            stream('s1')?.end();
          }
        }),
      },
    });
    const { connection, session } = await openHttpSession(server.url, {}, reconnect);
    const other = await connection.loadSession({ sessionId: 'other', cwd });
    const untouched = other.prompt('Hello');
    await expect(session.prompt('Hello')).rejects.toMatchObject({ code: 'connection.closed' });
    await server.came('POST session/load');
    expect((await untouched).stopReason).toBe('end_turn');
    expect(session.conversation.entries.map(({ kind }) => kind)).toEqual([
      'message',
      'message',
      'turnFailure',
    ]);
    expect(session.conversation.entries.at(-1)).toMatchObject({ cause: 'interrupted' });
    expect(other.conversation.entries.map(({ kind }) => kind)).toEqual(['message', 'message']);
    // One prompt for each session.
    expect(server.count('POST session/prompt')).toBe(2);
    expect(server.count('POST initialize')).toBe(1);
    expect(session.isClosed).toBe(false);
  });
});

test('[reliability: limit-remote-message] a message that is too long ends the connection, and is not kept', async () => {
  const server = await rawServer({
    agent: {
      'session/prompt': turnOf(async (_, { write }) => {
        await write('data: {"jsonrpc":"2.0",', 's1');
        for (let part = 0; part < 100; part++) await write('x'.repeat(1000), 's1');
      }),
    },
  });
  const { connection, session } = await openHttpSession(server.url, { maxMessageBytes: 20_000 });
  await expect(session.prompt('Hello')).rejects.toMatchObject({
    code: 'protocol.message_too_large',
    limitBytes: 20_000,
  });
  expect((await connection.closed).error).toMatchObject({ code: 'protocol.message_too_large' });
});

test('[reliability: limit-remote-message] a message has at most 128 MiB if no other limit is given', async () => {
  const { transport, server } = await openTimedChannel();
  await allHappened();
  server.open()[0]?.write(new Uint8Array(128 * 2 ** 20 + 1).fill(0x20));
  expect((await transport.ended).error).toMatchObject({
    code: 'protocol.message_too_large',
    limitBytes: 128 * 2 ** 20,
  });
});

test('[reliability: remote-flood] a server that ends each stream at once gets few requests, and loses the connection', async () => {
  const opened: number[] = [];
  const answer = async (_url: unknown, { method, headers, body }: RequestInit = {}): Promise<Response> => {
    const name = new Headers(headers).get('acp-session-id');
    const events = { headers: { 'content-type': 'text/event-stream', 'acp-connection-id': 'c1' } };
    const isFirst = String(body).includes('"initialize"');
    if (isFirst) return new Response('{"jsonrpc":"2.0","id":0,"result":{}}', events);
    if (method !== 'GET') return new Response(null, { status: 202 });
    if (name === null) return new Response(new ReadableStream(), events);
    opened.push(performance.now());
    return new Response(event(chunk('s1', 'again '), opened.length), events);
  };
  const transport = streamableHttp('http://127.0.0.1/acp', { fetch: answer });
  const prompt = (id: number) =>
    transport.send({ jsonrpc: '2.0', id, method: 'session/prompt', params: { sessionId: 's1' } });
  let losses = 0;
  transport.listen({
    onMessage() {},
    onDiagnostic() {},
    onActivity() {},
    // A client that wants the session at any price.
    onSessionLost: () => void prompt(++losses),
  });
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
  // The code of the transport was loaded.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  void prompt(0);
  let hasEnded = false;
  void transport.ended.then(() => {
    hasEnded = true;
  });
  for (let seconds = 0; seconds < 600 && !hasEnded; seconds++) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(hasEnded).toBe(true);
  // Six streams of the session, each with five attempts after the first.
  expect({ losses, requests: opened.length }).toEqual({ losses: 5, requests: 36 });
  const inOneSecond = opened.map((at) => opened.filter((one) => one >= at && one < at + 1000).length);
  expect(Math.max(...inOneSecond)).toBeLessThanOrEqual(4);
});

describe('a server that answers calls of a session on the stream of the connection', () => {
  test('[reliability: remote-order] gives a weaker order, and the diagnostic says so once', async () => {
    const server = await rawServer({
      agent: {
        '_acp-client-sdk/sync': ({ id }, { send }) => {
          void send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
          return undefined;
        },
        'session/load': (_, { send }) => {
          void send(chunk('s1', 'History.'), 's1');
          return {};
        },
      },
    });
    const { connection, diagnostics } = await connectHttp(server.url);
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation.entries).toHaveLength(1);
    await connection.loadSession({ sessionId: 's2', cwd });
    expect(diagnostics.filter(({ rule }) => rule === 'transport.order')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('is not certain') },
    ]);
  });
});

/** Passes the answer to the stream of a session on when there is another one, as nginx does with TLS and HTTP/2. */
function holdingHeaders(): typeof fetch {
  let release: () => void = () => {};
  return async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'POST') release();
    if (new Headers(init?.headers).has('acp-session-id') && init?.method === 'GET') {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return response;
  };
}

test('a message does not wait for long until the stream of its session is answered', async () => {
  const server = await rawServer({
    agent: {
      'session/prompt': (_message, { send }) => {
        void send(chunk('s1', 'Hello'), 's1');
        return { stopReason: 'end_turn' };
      },
    },
  });
  const { diagnostics, session } = await openHttpSession(server.url, { fetch: holdingHeaders() });
  expect((await session.prompt('Hello')).stopReason).toBe('end_turn');
  expect(outline(session.conversation)).toEqual(['user: Hello', 'agent: Hello']);
  expect(diagnostics).toEqual([]);
  expect(server.count('GET s1')).toBe(1);
});
