import { describe, expect, test } from 'vitest';
import type { SessionLoss } from '../../../../src/core/transport/transport.ts';
import { answerTo, chunk, subagentUpdate } from '../../../support/raw-acp-server.ts';
import { allHappened, passTime } from '../../../support/timed-acp-server.ts';
import {
  call,
  later,
  list,
  openTimedChannel as open,
  openWithSession,
  refuse,
} from '../../../support/timed-channel.ts';

describe('the stream of a session', () => {
  test('that the server refuses with status 401 ends the connection', async () => {
    const { transport } = await open(refuse('GET s1', 401));
    void transport.send(call(1, 'session/prompt'));
    await passTime(1000);
    expect((await transport.ended).error).toMatchObject({ status: 401 });
  });

  test.each([
    [409, false],
    [500, true],
  ])('that the server refuses with status %i is lost, and can return: %s', async (code, canReturn) => {
    const lost: SessionLoss[] = [];
    const { transport } = await open(refuse('GET s1', code), { onSessionLost: (loss) => lost.push(loss) });
    void transport.send(call(1, 'session/prompt'));
    await passTime(1000);
    expect(lost).toMatchObject([{ sessionId: 's1', canReturn, error: { status: code } }]);
  });

  test('that breaks a moment before a message is refused with status 409 is one loss', async () => {
    const { transport, server, lost } = await openWithSession(({ kind }) =>
      kind === 'POST _test/note' ? later(new Response(null, { status: 409 }), 60) : undefined,
    );
    void transport.send({ jsonrpc: '2.0', method: '_test/note', params: { sessionId: 's1' } });
    await passTime(10);
    server.open('s1')[0]?.end();
    await passTime(1000);
    expect(lost).toMatchObject([{ sessionId: 's1', canReturn: false }]);
  });

  test('is opened when the server has taken the call that loads it, before the agent answers', async () => {
    const { transport, server } = await open(({ kind }) =>
      kind === 'GET s1' && server.count('POST session/load') === 0
        ? new Response(null, { status: 400 })
        : undefined,
    );
    void transport.send(call(1, 'session/load'));
    await passTime(1000);
    expect(server.open('s1')).toHaveLength(1);
    expect(server.count('GET s1')).toBe(2);
  });
});

test('a call that fails while it waits for the stream of its session is not sent', async () => {
  const { transport, server, losses } = await open(({ kind }) => {
    if (kind === 'GET s1') return new Promise(() => {});
    return kind === 'POST _test/note' ? new Response(null, { status: 409 }) : undefined;
  });
  server.send(subagentUpdate('s1', 'sub'));
  await allHappened();
  void transport.send(call(1, 'session/prompt'));
  await passTime(100);
  void transport.send({ jsonrpc: '2.0', method: '_test/note', params: { sessionId: 'sub' } });
  await passTime(10_000);
  expect(losses.map(({ id, sessionId }) => id ?? sessionId)).toEqual(['s1', 1]);
  expect(server.count('POST session/prompt')).toBe(0);
});

test('a call that the agent has answered does not fail when the server then refuses its message', async () => {
  const { transport, server, losses, answers } = await open(({ kind }) =>
    kind === 'POST session/list' ? later(new Response(null, { status: 500 }), 1000) : undefined,
  );
  void transport.send(list(1));
  await allHappened();
  server.send(answerTo({ id: 1 }, {}));
  await passTime(5000);
  expect(answers()).toHaveLength(1);
  expect(losses).toEqual([]);
});

describe('a session that is lost', () => {
  test('is still lost after a prompt: the next load skips what the replay brings again', async () => {
    const { transport, server, texts, answers } = await openWithSession();
    server.open('s1')[0]?.end();
    await passTime(200);
    void transport.send(call(2, 'session/prompt'));
    await passTime(1000);
    void transport.send(call(3, 'session/load'));
    await allHappened();
    server.send(chunk('s1', 'Kept.'), 's1');
    const { message } = server.requests.find(({ kind }) => kind === 'POST _acp-client-sdk/sync') ?? {};
    server.send(answerTo(message ?? {}, {}), 's1');
    // The agent still works, and has not been asked for the history.
    server.send(chunk('s1', 'Late.'), 's1');
    await allHappened();
    server.send(chunk('s1', 'History.'), 's1');
    server.send(answerTo({ id: 3 }, {}), 's1');
    await allHappened();
    expect(texts()).toEqual(['History.']);
    expect(answers()).toHaveLength(2);
  });

  test('again while its leftovers arrive ends the load, and nothing else', async () => {
    const { transport, server, lost, losses } = await openWithSession();
    server.open('s1')[0]?.end();
    await passTime(200);
    void transport.send(call(2, 'session/load'));
    await passTime(1000);
    server.open('s1')[0]?.end();
    await passTime(10_000);
    expect(lost).toHaveLength(2);
    expect(losses.map(({ id }) => id)).toEqual([2]);
    expect(server.count('POST session/load')).toBe(1);
  });

  test('has its requests also if the load fails that asked for them', async () => {
    const question = { jsonrpc: '2.0', id: 7, method: 'session/request_permission', params: {} };
    const { transport, server, received, losses } = await openWithSession(({ message }) =>
      message['id'] === 2 ? new Response(null, { status: 500 }) : undefined,
    );
    server.open('s1')[0]?.end();
    await passTime(200);
    void transport.send(call(2, 'session/load'));
    const [later, note] = [
      { ...question, id: 8 },
      { jsonrpc: '2.0', method: '_test/note' },
    ];
    for (const message of [question, note, later]) server.send(message, 's1');
    await passTime(1000);
    // Only updates and requests are parts of what the load brings.
    expect(received.at(-1)).toEqual(note);
    const { message } = server.requests.find(({ kind }) => kind === 'POST _acp-client-sdk/sync') ?? {};
    server.send(answerTo(message ?? {}, {}), 's1');
    await allHappened();
    expect(losses.map(({ id }) => id)).toEqual([2]);
    expect(received.slice(-2)).toEqual([question, later]);
  });
});
