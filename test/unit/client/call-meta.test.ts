import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { CallEnd, CallMeta, OutgoingCall } from '../../../src/core/client/calls/outgoing-calls.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, refuses, settle } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, openSession } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';

const isCall = ({ method }: { readonly method?: string | undefined }) =>
  method !== undefined && method !== '$/cancel_request';

/** What was sent as the `_meta` of each call, in the order of the wire. */
const metaOnTheWire = ({ received }: ScriptedAgent) =>
  received.filter(isCall).map(({ method, params }) => [method, params?.['_meta']]);

/** Numbers the calls, and remembers them and how they ended. */
function counting() {
  const calls: OutgoingCall[] = [];
  const ends: (readonly [method: string, end: CallEnd])[] = [];
  const callMeta: CallMeta = (call) => {
    calls.push(call);
    void call.ended.then((end) => ends.push([call.method, end]));
    return { number: calls.length };
  };
  return { calls, ends, callMeta };
}

describe.each(dialectNames)('callMeta, in %s', (dialect) => {
  const prompted = dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' };

  test('adds to the _meta of every call, each with its own value, from initialize on', async () => {
    const { calls, callMeta } = counting();
    const { agent, connection, session } = await openSession(dialect, {
      connect: { callMeta },
      script: (agent) => {
        for (const method of [
          ...['session/load', 'session/resume', 'session/close', 'session/delete'],
          ...[
            'authenticate',
            'auth/login',
            'logout',
            'auth/logout',
            'session/archive',
            '_example.com/status',
          ],
        ]) {
          agent.on(method, {});
        }
        agent
          .on('session/fork', { sessionId: 's2' })
          .on('session/list', { sessions: [] })
          .on('session/prompt', prompted);
      },
    });
    await session.prompt('Hi.').accepted;
    await session.cancel();
    await connection.loadSession({ sessionId: 's3', cwd });
    await connection.resumeSession({ sessionId: 's4', cwd });
    await connection.openSession({ sessionId: 's5', cwd });
    await connection.forkSession({ sessionId: 's1', cwd });
    await connection.listSessions().page();
    await connection.deleteSession('s9');
    await connection.login('key');
    await connection.logout();
    await connection.request('session/archive', { sessionId: 's1' });
    await connection.request('_example.com/status');
    await connection.notify('_example.com/note', { sessionId: 's1' });
    await session.close();
    const sent = agent.received.filter(isCall);
    expect(sent.length).toBeGreaterThan(14);
    expect(metaOnTheWire(agent)).toEqual(calls.map(({ method }, index) => [method, { number: index + 1 }]));
    expect(calls.map(({ sessionId }) => sessionId)).toEqual(sent.map(({ params }) => params?.['sessionId']));
    expect(calls[0]).toMatchObject({ method: 'initialize' });
    expect(calls[0]).not.toHaveProperty('sessionId');
  });

  test('sees the _meta that a call has, with that of the option above that of the parameters, whose keys keep their values', async () => {
    const { calls, callMeta } = counting();
    const { agent, connection } = await connectFlushable(everything[dialect], {
      connect: { callMeta, meta: { number: 'mine' } },
      answers: { 'session/new': { sessionId: 's1' }, _x: {} },
    });
    await connection.newSession({ cwd, _meta: { a: 1, b: { d: 3 } } }, { meta: { b: { c: 2 } } });
    await connection.request('_x', { _meta: { a: 1, b: 2 } }, { meta: { b: 3 } });
    await connection.request('_x', { _meta: null });
    expect(metaOnTheWire(agent)).toEqual([
      ['initialize', { number: 'mine' }],
      ['session/new', { number: 2, a: 1, b: { c: 2 } }],
      ['_x', { number: 3, a: 1, b: 3 }],
      ['_x', { number: 4 }],
    ]);
    const given = [{ number: 'mine' }, { a: 1, b: { c: 2 } }, { a: 1, b: 3 }, undefined];
    expect(calls.map(({ meta }) => meta)).toEqual(given);
    expect(calls[3]).not.toHaveProperty('meta');
  });

  test('leaves a call as it is if it returns nothing, or an empty object', async () => {
    const { agent, connection, diagnostics } = await connectFlushable(everything[dialect], {
      connect: { callMeta: ({ method }) => (method === 'initialize' ? undefined : {}) },
      answers: { _x: {} },
    });
    await connection.request('_x');
    await connection.notify('_y', { a: 1 });
    await flush(agent);
    expect(agent.received.filter(isCall).map(({ params }) => params)).toEqual([
      expect.not.objectContaining({ _meta: expect.anything() }),
      undefined,
      { a: 1 },
    ]);
    expect(diagnostics).toEqual([]);
  });

  test('learns how each call ended', async () => {
    const { ends, callMeta } = counting();
    const { agent, connection, session } = await openSession(dialect, {
      connect: { callMeta },
      answers: { 'session/prompt': refuses(-32602, 'No such thing.'), _silent: noAnswer, _slow: noAnswer },
    });
    const control = new AbortController();
    const aborted = connection.request('_silent', {}, { signal: control.signal });
    await agent.called('_silent');
    control.abort(new Error('not needed'));
    await expect(aborted).rejects.toThrow('not needed');
    await expect(connection.request('_slow', {}, { timeoutMs: 1 })).rejects.toThrow('within 1 ms');
    const error = await session.prompt('Hi.').catch((reason: unknown) => reason);
    await connection.notify('_note');
    const open = connection.request('_silent').catch((reason: unknown) => reason);
    await agent.called('_silent', 2);
    agent.channel.exit({ exitCode: 3 });
    const closed = await open;
    const refused = await connection.request('_late').catch((reason: unknown) => reason);
    expect(ends).toEqual([
      ['initialize', {}],
      ['session/new', {}],
      ['_silent', { error: control.signal.reason }],
      ['_slow', { error: expect.objectContaining({ code: 'timeout' }) }],
      ['session/prompt', { error }],
      ['_note', {}],
      ['_silent', { error: closed }],
      ['_late', { error: refused }],
    ]);
  });

  test('is called before the calls that open the sessions of a crashed agent again', async () => {
    const { calls, callMeta } = counting();
    const restarting = await connectRestarting(
      (agent) => agent.on('initialize', everything[dialect]).on('session/resume', {}),
      { callMeta },
    );
    const { agents, connection } = restarting;
    await connection.newSession({ cwd });
    await crash(restarting);
    expect(agents.map(metaOnTheWire)).toEqual([
      [
        ['initialize', { number: 1 }],
        ['session/new', { number: 2 }],
      ],
      [
        ['initialize', { number: 3 }],
        ['session/resume', { number: 4 }],
      ],
    ]);
    expect(calls[3]?.sessionId).toBe('s1');
  });

  test('is called again for a call that is sent again after a login', async () => {
    const { ends, callMeta } = counting();
    let refusals = 0;
    const { agent, connection } = await connectTo(everything[dialect], {
      callMeta,
      onAuthRequired: () => {},
      script: (agent) =>
        agent.on('session/new', () => {
          if (refusals++ === 0) throw new RequestError(-32000, 'Log in.');
          return { sessionId: 's1' };
        }),
    });
    await connection.newSession({ cwd });
    expect(metaOnTheWire(agent).slice(1)).toEqual([
      ['session/new', { number: 2 }],
      ['session/new', { number: 3 }],
    ]);
    expect(ends.slice(1)).toEqual([
      ['session/new', { error: expect.objectContaining({ code: 'remote.auth_required' }) }],
      ['session/new', {}],
    ]);
  });

  test('runs in the async context of the call', async () => {
    const user = new AsyncLocalStorage<string>();
    const seen: (readonly [string | undefined, string, string | undefined])[] = [];
    let count = 0;
    const { connection } = await connectFlushable(everything[dialect], {
      connect: {
        callMeta: ({ method, sessionId }) => {
          seen.push([sessionId, method, user.getStore()]);
          return undefined;
        },
      },
      answers: {
        'session/new': () => ({ sessionId: `s${++count}` }),
        'session/load': {},
        'session/resume': {},
        'session/close': {},
        'session/prompt': prompted,
      },
    });
    await Promise.all(
      ['Ann', 'Bob'].map((name) =>
        user.run(name, async () => {
          const session = await connection.newSession({ cwd });
          await session.prompt('Hi.').accepted;
          await session.cancel();
          await Promise.all([
            connection.loadSession({ sessionId: session.sessionId, cwd }, { duringTurn: 'load' }),
            connection.loadSession({ sessionId: session.sessionId, cwd }, { duringTurn: 'load' }),
          ]);
          await session.close();
        }),
      ),
    );
    const users = (wanted: string | undefined) =>
      new Set(seen.filter(([sessionId]) => sessionId === wanted).map(([, , name]) => name));
    expect([users('s1'), users('s2')]).toEqual([new Set(['Ann']), new Set(['Bob'])]);
    // In version 1, the turn was over when it would have been cancelled.
    expect(seen).toHaveLength(1 + 2 * (dialect === 'v1' ? 5 : 6));
  });
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** Functions that fail, and what the diagnostic says. */
const failing: readonly (readonly [what: string, callMeta: () => unknown, message: string])[] = [
  [
    'throws',
    () => {
      throw new Error('mine');
    },
    'mine',
  ],
  ['rejects', () => Promise.reject(new Error('mine')), 'mine'],
  ['returns a promise', async () => ({ a: 1 }), 'it returned a promise, and not an object'],
  ['returns a text', () => 'traceparent', 'it returned a string, and not an object'],
  ['returns null', () => null, 'it returned null, and not an object'],
  ['returns a list', () => [1], 'it returned an array, and not an object'],
  ['returns a function', () => () => ({}), 'it returned a function, and not an object'],
  ['returns what JSON does not have', () => ({ a: 1n }), 'BigInt'],
  ['returns a cycle', () => circular, 'circular'],
  [
    'returns what cannot be read',
    () => ({
      get a() {
        throw new Error('mine');
      },
    }),
    'mine',
  ],
];

test.each(failing)(
  'callMeta that %s does not fail the calls, and is reported',
  async (_, callMeta, message) => {
    const { agent, connection, diagnostics, session } = await openSession('v1', {
      // What JavaScript can pass.
      connect: { callMeta: callMeta as unknown as CallMeta },
      answers: { 'session/prompt': { stopReason: 'end_turn' } },
    });
    await session.prompt('Hi.', { meta: { a: 2 } });
    await connection.notify('_x', { b: 3 });
    await settle();
    expect(metaOnTheWire(agent)).toEqual([
      ['initialize', undefined],
      ['session/new', undefined],
      ['session/prompt', { a: 2 }],
      ['_x', undefined],
    ]);
    expect(new Set(diagnostics.map(({ rule }) => rule))).toEqual(
      new Set(['subscriber.failed', 'session.empty_turn']),
    );
    const [diagnostic] = diagnostics;
    expect(diagnostic).toMatchObject({ rule: 'subscriber.failed', severity: 'error' });
    expect(diagnostic?.message).toMatch(/^callMeta failed: /);
    expect(diagnostics.map((each) => each.message).join()).toContain(message);
  },
);

test('what callMeta returned can be changed later without an effect', async () => {
  const meta: Record<string, string> = { a: 'before' };
  const { agent, connection } = await connectFlushable(everything.v1, { connect: { callMeta: () => meta } });
  const noted = connection.notify('_x');
  meta['a'] = 'after';
  await noted;
  await flush(agent);
  expect(metaOnTheWire(agent)[1]).toEqual(['_x', { a: 'before' }]);
});

describe('[security: secrets-in-errors] what callMeta adds', () => {
  const secret = 'hunter2-and-no-one-else';

  test('is not repeated in errors and diagnostics, nor in the end of the call', async () => {
    const ends: CallEnd[] = [];
    const { agent, connection, diagnostics } = await openSession('v1', {
      connect: {
        callMeta: ({ method, ended }) => {
          void ended.then((end) => ends.push(end));
          return { key: `${secret} ${method}` };
        },
      },
      script: (agent) =>
        agent.on('_x', (params) => {
          throw new RequestError(-32603, `No: ${JSON.stringify(params)}`, params);
        }),
    });
    const error = await connection.request('_x').catch((reason: unknown) => reason);
    await connection.notify('_y');
    agent.notify('_log', { text: `${secret} _y` });
    await flush(agent);
    const told = JSON.stringify([String(error), error, ends.map((end) => String(end.error)), diagnostics]);
    expect(told).toContain('No: ');
    expect(told).toContain('_log');
    expect(told).not.toContain(secret);
  });

  test('does not push other secrets out if it is a trace context', async () => {
    let count = 0;
    const { connection } = await connectFlushable(everything.v1, {
      connect: {
        callMeta: () => {
          count++;
          const id = count.toString(16);
          return { traceparent: `00-${id.padStart(32, '0')}-${id.padStart(16, '0')}-01` };
        },
      },
      script: (agent) =>
        agent.on('_x', (params: JsonObject) => {
          throw new RequestError(-32603, `No: ${secret} ${JSON.stringify(params)}`);
        }),
    });
    await connection.notify('_x', { headers: { Authorization: secret } });
    for (let sent = 0; sent < 1100; sent++) await connection.notify('_note');
    const error = await connection.request('_x').catch((reason: unknown) => reason);
    const id = count.toString(16);
    expect(String(error)).toContain(
      `No: [redacted] {"_meta":{"traceparent":"00-${id.padStart(32, '0')}-${id.padStart(16, '0')}-01"}}`,
    );
  });
});
