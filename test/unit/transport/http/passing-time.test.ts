import { expect, test } from 'vitest';
import { answerTo, chunk, subagentUpdate } from '../../../support/raw-acp-server.ts';
import {
  allHappened,
  passTime,
  type TimedAnswer,
  type TimedServer,
} from '../../../support/timed-acp-server.ts';
import { call, later, openTimedChannel as open } from '../../../support/timed-channel.ts';

/** Answers a message after five seconds. */
const slowly = (status = 202) => later(new Response(null, { status }), 5000);

test('a server may refuse the stream of a session until it has answered the call that loads it', async () => {
  let isLoaded = false;
  const { transport, server, losses, texts, answers } = await open(({ kind }) =>
    kind === 'GET s1' && !isLoaded ? new Response('unknown session', { status: 400 }) : undefined,
  );
  void transport.send(call(1, 'session/load'));
  await passTime(5000);
  isLoaded = true;
  server.send(answerTo({ id: 1 }, {}));
  await passTime(1000);
  server.send(chunk('s1', 'History.'), 's1');
  await passTime(5000);
  expect(texts()).toEqual(['History.']);
  expect(answers()).toEqual([answerTo({ id: 1 }, {})]);
  expect(losses).toEqual([]);
});

test('the answer to a call that loads a session does not come any more when its stream has broken and the call has failed', async () => {
  const { transport, server, losses, answers } = await open();
  void transport.send(call(1, 'session/load'));
  await allHappened();
  server.send(chunk('s1', 'Half'), 's1');
  server.send(answerTo({ id: 1 }, {}));
  await allHappened();
  expect(server.count('POST _acp-client-sdk/sync')).toBe(1);
  server.open('s1')[0]?.end();
  await passTime(60_000);
  expect(losses.map(({ id, sessionId }) => id ?? sessionId)).toEqual([1, 's1']);
  expect(answers()).toEqual([]);
});

test('a request of the agent that the server kept comes once, also if the session is lost twice, and its answer names the session', async () => {
  const question = { jsonrpc: '2.0', id: 7, method: 'mcp/message', params: {} };
  let server: TimedServer | undefined;
  const answer: TimedAnswer = ({ kind, message }) => {
    // A turn later, so that the client has the answer of HTTP before.
    if (kind === 'POST session/load') setImmediate(() => server?.send(answerTo(message, {})));
    if (kind === 'POST _acp-client-sdk/sync') setImmediate(() => server?.send(answerTo(message, {}), 's1'));
    return undefined;
  };
  const channel = await open(answer);
  server = channel.server;
  const { transport, received, losses, answers } = channel;
  void transport.send(call(1, 'session/load'));
  await passTime(1000);
  for (const load of [2, 3]) {
    server.open('s1')[0]?.end();
    if (load === 2) server.send(question, 's1');
    await passTime(1000);
    void transport.send(call(load, 'session/load'));
    await passTime(5000);
  }
  expect(losses).toHaveLength(2);
  expect(answers()).toEqual([1, 2, 3].map((id) => answerTo({ id }, {})));
  expect(received.filter((message) => Reflect.get(Object(message), 'id') === 7)).toEqual([question]);
  await transport.send(answerTo(question, {}));
  expect(server.requests.at(-1)).toMatchObject({ kind: 'POST', sessionId: 's1' });
});

test('a channel that ends while a lost session waits for what the server kept opens no stream again', async () => {
  const { transport, server, losses, hasEnded } = await open();
  void transport.send(call(1, 'session/load'));
  await passTime(1000);
  server.open('s1')[0]?.end();
  await passTime(150);
  expect(losses).toHaveLength(2);
  void transport.send(call(2, 'session/load'));
  await allHappened();
  server.open()[0]?.end();
  await passTime(60_000);
  expect(hasEnded()).toBe(true);
  expect(server.count('GET s1')).toBe(1);
  expect(server.streams.filter(({ isOpen }) => isOpen)).toEqual([]);
});

test.each([
  ['s1', 'sub'],
  ['sub', 's1'],
])(
  'the streams of a session and its subagent that break together, %s first, are one loss of the session',
  async (...streams) => {
    const { transport, server, losses, answers } = await open();
    void transport.send(call(1, 'session/prompt'));
    await passTime(1000);
    server.send(subagentUpdate('s1', 'sub'), 's1');
    await allHappened();
    for (const stream of streams) {
      server.open(stream)[0]?.end();
      await passTime(60);
    }
    await passTime(60);
    void transport.send(call(2, 'session/resume'));
    await passTime(60);
    server.send(answerTo({ id: 2 }, {}));
    await passTime(60_000);
    expect(losses.map(({ id, sessionId }) => id ?? sessionId)).toEqual(['s1', 1]);
    expect(answers()).toEqual([answerTo({ id: 2 }, {})]);
  },
);

test.each([
  ['a call that has failed', call(2, 'session/prompt'), 0],
  ['a notification', { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } }, 1],
])(
  '%s that waited when its session was lost does not open the stream of the session again',
  async (_, late, sent) => {
    const { transport, server, losses } = await open(({ kind }) =>
      kind === 'POST session/set_mode' ? slowly() : undefined,
    );
    void transport.send(call(1, 'session/set_mode'));
    void transport.send(late);
    await passTime(1000);
    server.open('s1')[0]?.end();
    await passTime(60_000);
    expect(losses.filter(({ sessionId }) => sessionId === 's1')).toHaveLength(1);
    expect(server.count('GET s1')).toBe(1);
    expect(server.count(`POST ${late['method']}`)).toBe(sent);
  },
);

test('a load that waited when its session was lost takes nothing away from the call that resumes the session', async () => {
  const { transport, server, losses, texts, answers } = await open(({ kind }) =>
    kind === 'POST session/set_mode' ? slowly() : undefined,
  );
  void transport.send(call(1, 'session/set_mode'));
  void transport.send(call(2, 'session/load'));
  await passTime(1000);
  server.open('s1')[0]?.end();
  await passTime(1000);
  expect(losses.map(({ id, sessionId }) => id ?? sessionId)).toEqual([2, 's1', 1]);
  void transport.send(call(3, 'session/resume'));
  server.send(chunk('s1', 'Kept.'), 's1');
  await passTime(10_000);
  server.send(answerTo({ id: 3 }, {}));
  await passTime(10_000);
  expect(texts()).toEqual(['Kept.']);
  expect(answers()).toEqual([answerTo({ id: 3 }, {})]);
});

test('a load that the agent refuses before the server has answered the POST leaves no stream', async () => {
  const { transport, server, received } = await open(({ kind }) =>
    kind === 'POST session/load' ? slowly() : undefined,
  );
  void transport.send(call(1, 'session/load'));
  await passTime(1000);
  const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'Not found' } };
  server.send(refusal);
  await passTime(10_000);
  expect(received.at(-1)).toEqual(refusal);
  expect(server.open('s1')).toEqual([]);
});

test('a notification that the server refuses because it has lost the session is no second loss', async () => {
  const { transport, server, losses, answers } = await open(({ kind }) =>
    kind === 'POST session/cancel' ? slowly(409) : undefined,
  );
  void transport.send(call(1, 'session/load'));
  await passTime(100);
  void transport.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } });
  await passTime(100);
  server.open('s1')[0]?.end();
  await passTime(200);
  void transport.send(call(2, 'session/load'));
  await passTime(10_000);
  server.send(answerTo({ id: 2 }, {}));
  await passTime(10_000);
  expect(losses.map(({ id, sessionId }) => id ?? sessionId)).toEqual([1, 's1']);
  expect(answers()).toEqual([answerTo({ id: 2 }, {})]);
});

test('messages that the server has not taken count as queued, also answers', async () => {
  const { transport } = await open(({ kind }) =>
    kind.startsWith('POST') && kind !== 'POST initialize' ? slowly() : undefined,
  );
  const answer = { jsonrpc: '2.0', id: 'r1', result: { text: 'é' } };
  const messages = [call(1, 'session/list'), call(2, 'session/list'), answer];
  for (const message of messages) void transport.send(message);
  const bytes = messages.map((message) => Buffer.byteLength(JSON.stringify(message)));
  expect(transport.queuedBytes).toBe(bytes.reduce((sum, each) => sum + each));
  await passTime(60_000);
  expect(transport.queuedBytes).toBe(0);
});
