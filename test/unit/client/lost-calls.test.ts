import { describe, expect, test } from 'vitest';
import { AcpError, ConnectionClosedError } from '../../../src/core/base/errors.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { OpenConnection } from '../../../src/core/client/open-connection.ts';
import { returns } from '../../../src/core/client/returns.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, refuses } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';
import { connectRestarting } from '../../support/restarting-agent.ts';

const option = (currentValue: string) => ({
  type: 'select',
  category: 'model',
  name: 'M',
  currentValue,
  options: ['a', 'b', 'c'].map((value) => ({ value, name: value })),
});
/** The id of a config option has another name in version 1. */
const options = (currentValue: string) => ({
  configOptions: [{ ...option(currentValue), id: 'm', configId: 'm' }],
});

/** Opens `s1` with an agent whose first process ends with the next call of `method`. */
async function losing(
  dialect: DialectName,
  method: string,
  script: (agent: ScriptedAgent, run: number) => unknown = () => {},
  more: Partial<ConnectOptions> = {},
) {
  const restarting = await connectRestarting((agent, run) => {
    const answers = {
      'session/load': {},
      'session/resume': {},
      'session/list': { sessions: [] },
      'session/close': {},
      'session/delete': {},
      'session/options': {},
      'session/status': { status: 'open' },
      'session/set_config_option': options('b'),
      'auth/status': { state: 'authenticated' },
    };
    agent.on('initialize', everything[dialect]).on('session/new', { sessionId: 's1', ...options('a') });
    for (const [name, answer] of Object.entries(answers)) agent.on(name, answer);
    script(agent, run);
  }, more);
  const session = await restarting.connection.newSession({ cwd });
  if (method !== '')
    restarting.agents[0]?.on(method, (_, { channel }) => {
      channel.exit({ exitCode: 1 });
      return noAnswer;
    });
  const sent = (name = method) => restarting.agents.flatMap((agent) => agent.calls(name));
  return { ...restarting, session, sent };
}

type Lost = (connection: ClientConnection, session: Session) => Promise<unknown>;

const rows: readonly (readonly [method: string, retry: string, isSentAgain: boolean, call: Lost])[] = [
  ['session/list', 'asIs', true, (connection) => connection.listSessions().all()],
  ['session/list', 'asIs', true, (connection) => connection.request('session/list', {})],
  ['session/options', 'asIs', true, (connection) => connection.sessionOptions({ cwd })],
  ['session/status', 'asIs', true, (connection) => connection.request('session/status', { sessionId: 's1' })],
  ['auth/status', 'asIs', true, (connection) => connection.request('auth/status', {})],
  ['session/close', 'asIs', true, (_, session) => session.close()],
  ['session/delete', 'asIs', true, (connection) => connection.deleteSession('s1')],
  ['session/delete', 'asIs', true, (connection) => connection.deleteSession('other')],
  ['session/set_config_option', 'asIs', true, (_, session) => session.setConfigOption('m', 'b')],
  ['session/new', 'no', false, (connection) => connection.newSession({ cwd })],
  ['session/fork', 'no', false, (connection) => connection.forkSession({ sessionId: 's1', cwd })],
  [
    'session/archive',
    'asIs',
    false,
    (connection) => connection.request('session/archive', { sessionId: 's1' }),
  ],
  ['session/resume', 'asIs', false, (connection) => connection.resumeSession({ sessionId: 'other', cwd })],
  ['_vendor/act', 'no', false, (connection) => connection.request('_vendor/act', {})],
];

describe.each(dialectNames)('in %s, the lost call', (dialect) => {
  const prompt = dialect === 'v2-baseline' ? 'withKey' : 'no';
  const promptRow: (typeof rows)[number] = [
    'session/prompt',
    prompt,
    false,
    (_, session) => session.prompt('x'),
  ];
  test.each([...rows, promptRow])(
    '%s says that it can be sent again: %s. It is sent again with reconnect: %s (%#)',
    async (method, retry, isSentAgain, call) => {
      const { connection, session, sent } = await losing(dialect, method);
      const before = sent().length;
      const again = await call(connection, session).then(
        () => undefined,
        (error: unknown) => error,
      );
      await connection.ready;
      if (isSentAgain) expect(again).toBeUndefined();
      else expect(again).toMatchObject({ code: 'connection.closed', retry });
      const calls = sent()
        .slice(before)
        .filter(({ params }) => method !== 'session/resume' || params?.['sessionId'] === 'other');
      expect(calls).toHaveLength(isSentAgain ? 2 : 1);
      if (isSentAgain) expect(calls[1]?.params).toEqual(calls[0]?.params);

      const alone = await losing(dialect, method, undefined, { reconnect: undefined });
      const error = await call(alone.connection, alone.session).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'connection.closed', retry });
      expect(AcpError.is(error) && error.message.includes('Nothing was sent')).toBe(false);
    },
  );

  test.each([
    ['closed', 'session/close', (_, session) => session.close()],
    ['deleted', 'session/delete', (connection) => connection.deleteSession('s1')],
  ] as readonly (readonly [string, string, Lost])[])(
    'of a session makes it %s, also if the new process does not know the session',
    async (reason, method, call) => {
      for (const answer of [{}, refuses(-32002, 'Unknown session.')]) {
        const { connection, session, sent } = await losing(dialect, method, (agent, run) => {
          if (run > 0) agent.on(method, answer);
        });
        await call(connection, session);
        expect(await session.closed).toEqual({ reason });
        expect(session.isClosed).toBe(true);
        expect(connection.sessions).toEqual([]);
        expect([...sent('session/resume'), ...sent('session/load')]).toEqual([]);
      }
    },
  );

  test('of a session that the new process cannot end rejects, and the session is over', async () => {
    const { connection, session } = await losing(dialect, 'session/delete', (agent, run) => {
      if (run > 0) agent.on('session/delete', refuses(-32603, 'It is read-only.'));
    });
    await expect(connection.deleteSession('s1')).rejects.toThrow('It is read-only.');
    expect(await session.closed).toMatchObject({ reason: 'connectionClosed' });
  });
});

test('a change of an option is not sent again after a newer one, which is', async () => {
  let count = 0;
  const { session, sent } = await losing('v2-baseline', '', (agent, run) => {
    if (run > 0) return agent.on('session/set_config_option', options('c'));
    return agent.on('session/set_config_option', () => {
      if (++count === 2) agent.channel.exit({ exitCode: 1 });
      return noAnswer;
    });
  });
  const older = session.setConfigOption('m', 'b').catch((error: unknown) => error);
  await session.setConfigOption('m', 'c');
  expect(await older).toMatchObject({ code: 'connection.closed', retry: 'asIs' });
  expect(sent('session/set_config_option').map(({ params }) => params?.['value'])).toEqual(['b', 'c', 'c']);
  expect(session.conversation.configOptions).toMatchObject([{ currentValue: 'c' }]);
});

test('a change of an option that the user makes before it could be sent again is the last one', async () => {
  const { connection, session, sent } = await losing('v2-baseline', 'session/set_config_option');
  let newer: Promise<void> | undefined;
  connection.onStateChange((state) => {
    if (state === 'open') newer = session.setConfigOption('m', 'c');
  });
  await expect(session.setConfigOption('m', 'b')).rejects.toMatchObject({ retry: 'asIs' });
  await newer;
  expect(sent().map(({ params }) => params?.['value'])).toEqual(['b', 'c']);
});

test('a call that the new process does not take is not sent again', async () => {
  const { connection, sent } = await losing('v2-baseline', 'session/options', (agent, run) => {
    if (run > 0) agent.on('initialize', { ...everything['v2-baseline'], capabilities: { session: {} } });
  });
  await expect(connection.sessionOptions({ cwd })).rejects.toMatchObject({ code: 'connection.closed' });
  expect(sent()).toHaveLength(1);
});

test('a call is not sent again where nothing was lost, and says nothing of a retry if nothing was sent', async () => {
  const lone = returns(
    () => 'open',
    () => undefined,
  );
  expect(await lone.wait('s1')).toBe(false);
  const { connection, agents } = await losing(
    'v2-baseline',
    '',
    (agent) => agent.on('session/delete', refuses(-32002, 'Unknown session.')),
    { reconnect: undefined },
  );
  await expect(connection.deleteSession('other')).rejects.toMatchObject({ code: 'remote.not_found' });
  agents[0]?.channel.exit();
  await connection.closed;
  const error = await connection
    .listSessions()
    .page()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'connection.closed' });
  expect(AcpError.is(error) && error.retry).toBe(undefined);
});

test('a session that is lost while it is being closed is not opened again', async () => {
  const { connection, session, sent, agents } = await losing('v2-baseline', '', (agent) =>
    agent.on('session/close', () => noAnswer),
  );
  const closing = session.close();
  const { id = 0 } = (await agents[0]?.called('session/close')) ?? {};
  // The transport of a server tells it.
  const { loseSession } = connection as OpenConnection;
  loseSession.call(connection, {
    sessionId: 's1',
    error: new ConnectionClosedError('Broken.'),
    canReturn: true,
  });
  agents[0]?.answer(id, {});
  await closing;
  expect(await session.closed).toEqual({ reason: 'closed' });
  expect(sent('session/resume')).toEqual([]);
});

test('a call waits for its session alone, and is sent when that is open again', async () => {
  const { connection, session, sent, agents } = await losing(
    'v2-baseline',
    'session/set_config_option',
    (agent, run) => {
      if (run === 0) return;
      agent.on('session/resume', ({ sessionId }) =>
        sessionId === 's1' ? {} : refuses(-32603, 'The session is closing.')(),
      );
    },
    { reconnect: { firstDelayMs: 60_000, maxDelayMs: 60_000 } },
  );
  agents[0]?.on('session/new', { sessionId: 's2' });
  await connection.newSession({ cwd });
  let isReady: boolean | undefined;
  connection.onStateChange(() => {
    connection.reconnection.retryNow();
    isReady ??= false;
    const ready = () => {
      isReady = true;
    };
    connection.ready.then(ready, () => {});
  });
  await session.setConfigOption('m', 'b');
  expect(isReady).toBe(false);
  expect(sent()).toHaveLength(2);
  const order =
    agents[1]?.received.map(({ method, params }) => `${method} ${params?.['sessionId'] ?? ''}`) ?? [];
  expect(order.indexOf('session/resume s1')).toBeLessThan(order.indexOf('session/set_config_option s1'));
});

test.each([
  ['is opened again later, waits for it', 1, 'set', ['session/resume', 'session/set_config_option']],
  ['cannot be opened again, rejects', Number.POSITIVE_INFINITY, 'connection.closed', ['session/resume']],
])('a lost call of a session that %s', async (_, refusals, expected, last) => {
  let tries = 0;
  const { session, agents } = await losing('v2-baseline', 'session/set_config_option', (agent) =>
    agent.on('session/resume', () => (++tries > refusals ? {} : refuses(-32603, 'It is closing.')())),
  );
  const set = session.setConfigOption('m', 'b');
  expect(await set.then(() => 'set').catch((error: AcpError) => error.code)).toBe(expected);
  expect(tries).toBeGreaterThan(1);
  expect(agents[1]?.received.map(({ method }) => method).slice(-last.length)).toEqual(last);
});

test('the signal and the time limit of a lost call hold over the whole', async () => {
  const reconnect = { firstDelayMs: 60_000, maxDelayMs: 60_000 };
  const { connection, sent } = await losing('v2-baseline', 'session/list', undefined, { reconnect });
  const user = new AbortController();
  const aborted = connection.listSessions({}, { signal: user.signal }).page();
  connection.onStateChange(() => user.abort('never mind'));
  await expect(aborted).rejects.toBe('never mind');

  const other = await losing('v2-baseline', 'session/list', undefined, { reconnect });
  await expect(other.connection.listSessions({}, { timeoutMs: 100 }).page()).rejects.toMatchObject({
    code: 'timeout',
    timeoutMs: 100,
    retry: 'asIs',
  });
  const third = await losing('v2-baseline', 'session/list', undefined, { reconnect });
  const closing = third.connection.listSessions().page();
  third.connection.onStateChange((state) => state === 'reconnecting' && void third.connection.close());
  await expect(closing).rejects.toMatchObject({ code: 'connection.closed', retry: 'asIs' });
  for (const { calls } of [sent(), other.sent(), third.sent()].map((calls) => ({ calls })))
    expect(calls).toHaveLength(1);
});

test('a list whose cursor a new process refuses begins at the first page, and has each session once', async () => {
  const page = (...ids: readonly string[]) => ({ sessions: ids.map((sessionId) => ({ sessionId, cwd })) });
  const { connection } = await losing('v2-baseline', '', (agent, run) =>
    agent.on('session/list', ({ cursor }) => {
      if (cursor === undefined) return { ...page('a', 'b'), nextCursor: `of process ${run}` };
      if (cursor === `of process ${run}` && run > 0) return page('b', 'c');
      if (run > 0) throw new RequestError(-32602, 'Unknown cursor.');
      agent.channel.exit({ exitCode: 1 });
      return noAnswer;
    }),
  );
  const all = await connection.listSessions().all();
  expect(all.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c']);
  const refused = { rpcCode: -32602 };
  await expect(connection.listSessions().page('of another')).rejects.toMatchObject(refused);
  const { connection: same } = await losing('v2-baseline', '', (agent) =>
    agent.on('session/list', ({ cursor }) =>
      cursor === undefined ? { ...page('a'), nextCursor: 'wrong' } : refuses(-32602, 'Unknown cursor.')(),
    ),
  );
  await expect(same.listSessions().all()).rejects.toMatchObject(refused);
});
