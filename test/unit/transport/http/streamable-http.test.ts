import { describe, expect, test } from 'vitest';
import { maxSessionStreams } from '../../../../src/core/transport/http/session-streams.ts';
import { listened } from '../../../support/listened.ts';
import { streamableHttp } from '../../../support/raw-acp-connection.ts';
import { answerTo, chunk, subagentUpdate } from '../../../support/raw-acp-server.ts';
import {
  allHappened,
  passTime,
  stopClock,
  type TimedAnswer,
  TimedServer,
  TimedStream,
} from '../../../support/timed-acp-server.ts';
import {
  call,
  later,
  list,
  openTimedChannel as open,
  openWithSession,
  refuse,
} from '../../../support/timed-channel.ts';

describe('a channel that has ended', () => {
  test.each(['closes', 'has closed', 'has lost its stream'])('or %s takes no message', async (how) => {
    const { transport, server } = await open(({ kind }) =>
      kind === 'POST session/list' ? new Promise(() => {}) : undefined,
    );
    await allHappened();
    if (how === 'has lost its stream') server.open()[0]?.end();
    if (how === 'closes') void transport.send(list(1));
    await allHappened();
    const closed = how === 'has lost its stream' ? transport.ended : transport.close();
    if (how !== 'closes') await closed;
    await allHappened();
    await expect(transport.send(list(2))).rejects.toThrow('The connection to the server has ended.');
    // The end of the connection is sent when the server has taken what was sent before.
    const counts = ['POST session/list', 'DELETE'].map((kind) => server.count(kind));
    expect(counts).toEqual(how === 'closes' ? [1, 0] : [0, 1]);
    await passTime(5000);
  });

  test('keeps its first error', async () => {
    const { transport, server } = await open(({ kind }) => {
      if (kind === 'POST session/list') return new Promise(() => {});
      return kind === 'POST' ? new Response(null, { status: 404 }) : undefined;
    });
    void transport.send(list(1));
    void transport.send({ jsonrpc: '2.0', id: 7, result: {} });
    await allHappened();
    expect((await transport.ended).error).toMatchObject({ status: 404 });
    expect(server.count('POST session/list')).toBe(1);
  });

  test('because it was closed has no error', async () => {
    const { transport } = await open(({ kind }) =>
      kind === 'POST session/list' ? later(new Response(null, { status: 404 }), 1000) : undefined,
    );
    void transport.send(list(1));
    await allHappened();
    void transport.close();
    await passTime(5000);
    expect(await transport.ended).toEqual({});
  });

  test('while initialize has no answer leaves no request', async () => {
    stopClock();
    const server = new TimedServer(() => new Promise(() => {}));
    const transport = streamableHttp('http://127.0.0.1/acp', { fetch: server.fetch });
    void transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
    while (server.requests.length === 0) await allHappened();
    void transport.close();
    await passTime(5000);
    expect(server.requests.map(({ kind, signal }) => [kind, signal.aborted])).toEqual([
      ['POST initialize', true],
    ]);
  });

  test('tells nothing of a session whose stream broke a moment before', async () => {
    const { server, lost, losses, hasEnded } = await openWithSession();
    server.open('s1')[0]?.end();
    await passTime(50);
    server.open()[0]?.end();
    await passTime(1000);
    expect([hasEnded(), lost, losses]).toEqual([true, [], []]);
  });

  test.each(['the answer', 'the end'])(
    'while initialize is answered leaves no stream and no connection, %s first',
    async (first) => {
      for (let turns = 0; turns < 20; turns++) {
        const bodies = ['the answer', 'the end'].map((name) => new TimedStream(name));
        const [answer, end] = bodies as [TimedStream, TimedStream];
        const server = new TimedServer(({ kind }) => {
          if (kind === 'POST initialize')
            return new Response(answer.response.body, { headers: { 'acp-connection-id': 'c1' } });
          return kind === 'POST' ? new Response(end.response.body, { status: 404 }) : undefined;
        });
        const transport = streamableHttp('http://127.0.0.1/acp', { fetch: server.fetch });
        void transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
        void transport.send({ jsonrpc: '2.0', id: 1, result: {} });
        while (server.count('POST') + server.count('POST initialize') < 2) await allHappened();
        answer.write('{"jsonrpc":"2.0","id":0,"result":{}}');
        const [one, other] = first === 'the answer' ? [answer, end] : [end, answer];
        one.end();
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        other.end();
        await transport.ended;
        await allHappened();
        expect([server.open().length, server.count('DELETE')]).toEqual([0, 1]);
      }
    },
  );
});

describe('a message without a session', () => {
  test('opens no stream', async () => {
    const { transport, server } = await open();
    const noHeaderCanHaveIt = { ...call(2, 'session/load'), params: { sessionId: 'a b' } };
    const messages = [list(1), noHeaderCanHaveIt, { jsonrpc: '2.0', method: '_test/note' }];
    for (const message of messages) void transport.send(message);
    await passTime(1000);
    expect(server.requests.map(({ kind }) => kind)).toEqual([
      'POST initialize',
      'GET',
      'POST session/list',
      'POST session/load',
      'POST _test/note',
    ]);
  });

  test('that is refused with status 409 fails, and nothing is lost', async () => {
    const { transport, losses, hasEnded } = await open(refuse('POST session/list', 409));
    void transport.send(list(1));
    await allHappened();
    expect(losses.map(({ id, sessionId }) => [id, sessionId])).toEqual([[1, undefined]]);
    expect(hasEnded()).toBe(false);
  });
});

test('a notification of a session waits for the stream of the session', async () => {
  const { transport, server } = await open();
  void transport.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } });
  await allHappened();
  expect(server.requests.map(({ kind }) => kind).slice(2)).toEqual(['GET s1', 'POST session/cancel']);
});

describe('a server that answers in the answer of HTTP', () => {
  test('answers the call', async () => {
    const { transport, answers, diagnostics } = await open(({ kind, message }) => {
      if (kind === 'POST session/list') return Response.json(answerTo(message, { sessions: [] }));
      return kind === 'POST _test/note' ? new Response('accepted') : undefined;
    });
    await transport.send(list(1));
    await transport.send({ jsonrpc: '2.0', method: '_test/note' });
    await allHappened();
    expect(answers()).toEqual([answerTo({ id: 1 }, { sessions: [] })]);
    expect(diagnostics).toEqual([]);
  });
});

describe('the request that asks for the order', () => {
  /** The answer to a load comes on the stream of the connection. */
  async function answeredElsewhere(answer: TimedAnswer) {
    const channel = await open(answer);
    const { transport, server } = channel;
    void transport.send(call(1, 'session/load'));
    await allHappened();
    server.send(answerTo({ id: 1 }, {}));
    await passTime(200);
    return channel;
  }
  const sync = 'POST _acp-client-sdk/sync';

  test.each<[how: string, answer: TimedAnswer]>([
    ['refused with status 400', refuse(sync, 400)],
    ['refused with status 500', refuse(sync, 500)],
    [
      'answered in the answer of HTTP',
      ({ kind, message }) => (kind === sync ? Response.json(answerTo(message, {})) : undefined),
    ],
  ])('and is %s: there is none', async (_, answer) => {
    const { answers, diagnostics, hasEnded } = await answeredElsewhere(answer);
    expect(answers()).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ rule: 'transport.order' }]);
    expect(hasEnded()).toBe(false);
  });

  test('and is refused with status 404: the server has forgotten the connection', async () => {
    const { transport, answers } = await answeredElsewhere(refuse(sync, 404));
    expect((await transport.ended).error).toMatchObject({ status: 404 });
    expect(answers()).toEqual([]);
  });

  test('is not sent for an answer on the stream of its session, a refusal, and what closes a session', async () => {
    const { transport, server, received } = await openWithSession();
    const ends = [
      [answerTo({ id: 2 }, { stopReason: 'end_turn' }), 's1'],
      [{ jsonrpc: '2.0', id: 3, error: { code: -32000, message: 'Busy' } }, ''],
      [answerTo({ id: 4 }, {}), ''],
    ] as const;
    for (const id of [2, 3]) void transport.send(call(id, 'session/prompt'));
    void transport.send(call(4, 'session/close'));
    await allHappened();
    for (const [at, [message, stream]] of ends.entries()) {
      server.send(message, stream);
      await allHappened();
      expect(received.at(-1)).toEqual(ends[at]?.[0]);
    }
    expect(server.count(sync)).toBe(0);
    expect(server.open('s1')).toEqual([]);
    expect(server.count('GET s1')).toBe(1);
  });

  test('is not sent for a session that gets no stream any more', async () => {
    const { transport, server, answers } = await open(({ kind }) =>
      kind.startsWith('GET sub') ? new Promise(() => {}) : undefined,
    );
    for (let count = 0; count < maxSessionStreams; count++) server.send(subagentUpdate('s1', `sub${count}`));
    void transport.send({ jsonrpc: '2.0', id: 1, method: 'session/new', params: {} });
    await allHappened();
    server.send(answerTo({ id: 1 }, { sessionId: 's2' }));
    await allHappened();
    expect(answers()).toHaveLength(1);
    expect(server.count('GET s2')).toBe(0);
  });
});

describe('what the agent sends', () => {
  test('before something listens is delivered then, and is no fault, and neither is a loss that nothing listens to', async () => {
    const server = new TimedServer(refuse('POST session/prompt', 409));
    const transport = streamableHttp('http://127.0.0.1/acp', { fetch: server.fetch });
    await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
    await allHappened();
    server.open()[0]?.write('hello\n\ndata: nonsense\n\n');
    server.send(chunk('s1', 'Early.'));
    await allHappened();
    const { received, rules } = listened(transport);
    // The call fails, and its session is lost.
    await transport.send(call(1, 'session/prompt'));
    await allHappened();
    expect(received).toHaveLength(2);
    expect(received[1]).toEqual(chunk('s1', 'Early.'));
    // The fault of the stream itself came before there was a listener.
    expect(rules()).toEqual(['transport.noise']);
    await transport.close();
  });

  test('is activity, and noise is reported, and delivered as nothing', async () => {
    const { server, received, diagnostics, activity } = await open();
    await allHappened();
    server.open()[0]?.write('hello\n\n');
    await allHappened();
    server.open()[0]?.write('data: nonsense\n\n');
    await allHappened();
    expect(activity()).toBe(2);
    expect(diagnostics.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['transport.noise', 'warning'],
      ['transport.noise', 'warning'],
    ]);
    expect(received).toHaveLength(1);
  });

  test('together with an answer that is held, or that is one to the transport, comes without it', async () => {
    const { transport, server, received } = await open();
    void transport.send(call(1, 'session/load'));
    await allHappened();
    server.send([answerTo({ id: 1 }, {}), chunk('s1', 'Zero.')]);
    await allHappened();
    const { message } = server.requests.find(({ kind }) => kind === 'POST _acp-client-sdk/sync') ?? {};
    // On another stream it gives no order, and its call stays open for a moment.
    server.send([answerTo(message ?? {}, {})]);
    server.send([chunk('s1', 'One.'), 7]);
    await passTime(200);
    const chunks = [[chunk('s1', 'Zero.')], [chunk('s1', 'One.'), 7]];
    expect(received.slice(1)).toEqual([...chunks, answerTo({ id: 1 }, {})]);
  });

  test('opens a stream only where it announces a subagent, of a session', async () => {
    const { server } = await openWithSession();
    const { params, ...message } = subagentUpdate('s1', 'sub') as { params: { update: object } };
    server.send(chunk('s1', 'One.'), 's1');
    server.send({ ...message, params: { update: params.update } });
    await allHappened();
    expect(server.streams.map(({ name }) => name)).toEqual(['', 's1']);
    server.send([{ ...message, params: { update: params.update } }], 's1');
    await allHappened();
    expect(server.streams.map(({ name }) => name)).toEqual(['', 's1', 'sub']);
  });
});

test('the stream of the connection is opened again where it broke, which is reported', async () => {
  const { server, diagnostics, texts, hasEnded } = await open();
  await allHappened();
  server.send(chunk('s1', 'One.'), '', 'e1');
  await allHappened();
  server.open()[0]?.end();
  await passTime(250);
  server.send(chunk('s1', 'Two.'), '', 'e2');
  await allHappened();
  expect(texts()).toEqual(['One.', 'Two.']);
  expect(diagnostics).toMatchObject([
    { rule: 'transport.stream', message: expect.stringContaining('The stream of the connection broke') },
  ]);
  expect([server.requests.at(-1)?.lastEventId, hasEnded()]).toEqual(['e1', false]);
});
