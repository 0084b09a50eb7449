import { describe, expect, test } from 'vitest';
import { NotFoundError, RemoteError } from '../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { maxUnconfirmedBytes } from '../../../src/core/client/session/registry.ts';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, nothing, refuses, settle, text } from '../../support/agents.ts';
import { cwd, deliver, giveUp, openSession, outline } from '../../support/open-session.ts';
import { repeats, says, toolCall } from '../../support/updates.ts';

describe.each(dialectNames)('sessions in %s', (dialect) => {
  test('newSession rejects with a protocol error for an empty session id', async () => {
    const { connection } = await connectTo(everything[dialect], {
      answers: { 'session/new': { sessionId: '' } },
    });
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({
      code: 'protocol.message',
      method: 'session/new',
    });
    expect(connection.sessions).toEqual([]);
  });

  test('newSession with an id that is open returns the open session', async () => {
    const { agent, connection, diagnostics, session } = await openSession(dialect);
    expect(await connection.newSession({ cwd: '/elsewhere' })).toBe(session);
    expect(connection.sessions).toEqual([session]);
    expect(diagnostics).toMatchObject([{ rule: 'protocol.malformed_result' }]);
    await deliver(agent, says('Hello.', 'm1'));
    expect(outline(session.conversation)).toEqual(['agent: Hello.']);
    agent.channel.exit();
    expect(await session.closed).toMatchObject({ reason: 'connectionClosed' });
  });

  test.each<readonly [string, (page: number) => readonly string[]]>([
    ['empty pages', () => []],
    ['the same page', () => ['a', 'b']],
    ['two pages in turns', (page) => (page % 2 === 0 ? ['a', 'b'] : ['b', 'c'])],
    ['new sessions at first', (page) => (page < 60 ? [`s${page}`] : ['s1'])],
  ])('listSessions ends with new cursors for ever and %s, and yields each session once', async (_, idsOf) => {
    let pages = 0;
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/list', () => ({
          sessions: idsOf(pages).map((sessionId) => ({ sessionId, cwd })),
          nextCursor: `c${++pages}`,
        })),
    });
    const ids: string[] = [];
    const loop = async () => {
      for await (const { sessionId } of connection.listSessions()) ids.push(sessionId);
    };
    await expect(loop()).rejects.toMatchObject({
      code: 'protocol.message',
      message: expect.stringContaining('50 pages in a row without a session that is new'),
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect(pages).toBeLessThanOrEqual(112);
    await expect(connection.listSessions().all()).rejects.toThrow('have no end');
  });

  test('listSessions from a cursor on asks for no page twice', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/list', ({ cursor }) => ({
          sessions: [{ sessionId: `at ${cursor}`, cwd }],
          nextCursor: cursor === 'two' ? 'three' : 'two',
        })),
    });
    await expect(connection.listSessions({ cursor: 'two' }).all()).rejects.toMatchObject({
      code: 'protocol.message',
      method: 'session/list',
    });
    expect(agent.calls('session/list')).toHaveLength(2);
  });

  test('calls of a session whose agent has exited reject with the reason', async () => {
    const { agent, connection, session } = await openSession(dialect);
    const exit = { exitCode: 9, signal: null, stderrTail: 'Out of tea.' };
    agent.channel.exit(exit);
    await connection.closed;
    for (const call of [() => session.prompt('more'), () => session.setConfigOption('model', 'small')]) {
      const error = await call().catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'connection.closed', exit });
      expect(error).toHaveProperty('message', expect.stringContaining('Nothing was sent'));
    }
    await session.cancel();
    await session.close();
    await connection.close();
    await expect(session.prompt('more')).rejects.toMatchObject({ code: 'connection.closed' });
  });
});

describe('sessions of real agents', () => {
  test('[agents: fields-of-its-own] unknown fields are ignored', async () => {
    const initialize = {
      protocolVersion: 1,
      agentInfo: { name: 'scripted', version: '1.0.0', edition: 'beta' },
      agentCapabilities: { loadSession: true, sessionCapabilities: { subagents: {} } },
      steering: true,
    };
    const said = {
      sessionUpdate: 'agent_message_chunk',
      content: { ...text('Hello.'), importance: 1 },
      turn: 7,
    };
    const { connection, diagnostics } = await connectTo(initialize, {
      script: (agent) =>
        agent
          .on('session/new', {
            sessionId: 's1',
            models: { currentModelId: 'm', availableModels: [] },
            _meta: {},
          })
          .on('session/load', (_params, agent) => {
            agent.update('s1', said);
            return { sessionId: 's1', models: null };
          })
          .on('session/prompt', (_params, agent) => {
            agent.update('s1', said);
            return { stopReason: 'end_turn', usage: { totalTokens: 1 }, _meta: { x: 1 } };
          }),
    });
    const session = await connection.newSession({ cwd });
    expect(await session.prompt('Hi.')).toMatchObject({ stopReason: 'end_turn' });
    await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation.entries).toMatchObject([{ content: [text('Hello.')] }]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    [-32002, NotFoundError],
    [-32602, RemoteError],
    [-32603, RemoteError],
  ])(
    '[agents: unknown-session-codes] [agents: load-too-soon] an unknown session rejects with the code %s of the agent, and can be loaded later',
    async (code, kind) => {
      const { agent, connection } = await connectTo(everything.v1, {
        answers: { 'session/load': refuses(code, 'Session not found') },
      });
      const loading = connection.loadSession({ sessionId: 'gone', cwd });
      await expect(loading).rejects.toBeInstanceOf(kind);
      await expect(loading).rejects.toMatchObject({ rpcCode: code });
      expect(connection.sessions).toEqual([]);
      agent.on('session/load', {});
      expect((await connection.loadSession({ sessionId: 'gone', cwd })).isClosed).toBe(false);
    },
  );
});

describe('newSession', () => {
  /** Calls newSession and aborts it before the agent answers. */
  async function abandon(initialize: JsonObject) {
    const connected = await connectTo(initialize, {
      answers: { 'session/new': noAnswer, 'session/close': {} },
    });
    const { agent, connection } = connected;
    const id = await giveUp(agent, 'session/new', (options) => connection.newSession({ cwd }, options));
    return { ...connected, id };
  }

  test.each<readonly [dialect: string, initialize: JsonObject, closed: readonly object[]]>([
    ...dialectNames.map((dialect) => [dialect, everything[dialect], [{ sessionId: 's1' }]] as const),
    ['an agent that cannot close sessions', nothing.v1, []],
  ])(
    'closes a session that was abandoned and is answered late, if the agent can do that (%s)',
    async (_, initialize, closed) => {
      const { agent, connection, id } = await abandon(initialize);
      agent.answer(id, { sessionId: 's1' });
      await settle();
      expect(agent.calls('session/close').map(({ params }) => params)).toEqual(closed);
      expect(connection.sessions).toEqual([]);
    },
  );

  test('does not close a session that is open when the abandoned call is answered', async () => {
    const { agent, connection, id } = await abandon(everything.v1);
    agent.on('session/load', {});
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    agent.answer(id, { sessionId: 's1' });
    await settle();
    expect(agent.calls('session/close')).toEqual([]);
    expect(session.isClosed).toBe(false);
  });

  test('has no parameter for its id', async () => {
    const { agent, connection } = await connectTo(everything.v1);
    const params = { cwd, sessionId: 's1' };
    await expect(connection.newSession(params)).rejects.toThrow('"sessionId" is not a parameter');
    expect(agent.calls('session/new')).toEqual([]);
  });

  test.each([
    ['keeps', 99, ['agent: Welcome.']],
    ['drops', 100, []],
  ])(
    '%s the updates of a session after %i others that its agent did not name yet',
    async (_, count, said) => {
      const { connection, diagnostics } = await connectTo(everything.v1, {
        script: (agent) =>
          agent.on('session/new', (_params, agent) => {
            for (let index = 0; index < count; index++) agent.update(`other-${index}`, says('Hello.', 'm1'));
            agent.update('s1', says('Welcome.', 'm1'));
            return { sessionId: 's1' };
          }),
      });
      const session = await connection.newSession({ cwd });
      expect(outline(session.conversation)).toEqual(said);
      // An update that is dropped is shown, and a session that no answer named has none to show.
      expect(diagnostics[0]?.received?.includes('Welcome.')).toBe(said.length === 0 ? true : undefined);
      expect(diagnostics[1]).not.toHaveProperty('received');
    },
  );

  test('[reliability: limit-unconfirmed] keeps as much as the limit of what an agent sends before its answer', async () => {
    const params = (said: string) => ({ sessionId: 's1', update: says(said, 'm1') });
    const free = maxUnconfirmedBytes - JSON.stringify(params('')).length;
    const { connection, diagnostics } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/new', (_params, agent) => {
          agent.notify('session/update', params('x'.repeat(free)));
          agent.notify('session/update', params('y'));
          return { sessionId: 's1' };
        }),
    });
    const session = await connection.newSession({ cwd });
    const [entry] = session.conversation.entries;
    expect(entry?.kind === 'message' && textOf(entry).length).toBe(free);
    expect(diagnostics).toMatchObject([
      {
        rule: 'protocol.unknown_session',
        message: expect.stringContaining(`more than ${maxUnconfirmedBytes} bytes`),
        received: expect.stringContaining('"y"'),
      },
    ]);
  });
});

describe.each(dialectNames)('openSession in %s', (dialect) => {
  test('returns an open session and sends nothing', async () => {
    const { agent, connection, session } = await openSession(dialect);
    for (const history of ['prefer', 'require', 'skip'] as const) {
      expect(await connection.openSession({ sessionId: 's1', cwd }, { history })).toBe(session);
    }
    expect(agent.calls('session/load')).toEqual([]);
    expect(agent.calls('session/resume')).toEqual([]);
  });

  test('opens it again while it is being closed', async () => {
    const { agent, connection, session } = await openSession(dialect, {
      answers: { 'session/close': noAnswer, 'session/load': {}, 'session/resume': {} },
    });
    const closing = session.close();
    const { id = '' } = await agent.called('session/close');
    const opening = connection.openSession({ sessionId: 's1', cwd });
    await settle();
    agent.answer(id, {});
    await closing;
    const again = await opening;
    expect(again).not.toBe(session);
    expect(again.isClosed).toBe(false);
    expect(connection.sessions).toEqual([again]);
  });

  test('opens a session once for two calls at the same time', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: { 'session/load': {}, 'session/resume': {} },
    });
    const [one, two] = await Promise.all([
      connection.openSession({ sessionId: 's1', cwd }),
      connection.openSession({ sessionId: 's1', cwd }),
    ]);
    expect(one).toBe(two);
    expect([...agent.calls('session/load'), ...agent.calls('session/resume')]).toHaveLength(1);
  });
});

test.each([
  ['session/resume', 'prefer', { sessionCapabilities: { resume: {} } }],
  ['session/load', 'skip', { loadSession: true }],
] as const)(
  'openSession makes the one call that the agent supports: %s for %s',
  async (method, history, agentCapabilities) => {
    const { agent, connection } = await connectTo(
      { protocolVersion: 1, agentCapabilities },
      { answers: { 'session/load': {}, 'session/resume': {} } },
    );
    await connection.openSession({ sessionId: 's1', cwd }, { history });
    expect(agent.received.map((message) => message.method)).toEqual(['initialize', method]);
  },
);

describe.each(dialectNames)('resumeSession with a saved conversation, in %s', (dialect) => {
  const params = { sessionId: 's1', cwd };

  /** A conversation as JSON that ends in the middle of a turn. */
  async function saved(): Promise<Conversation> {
    const { agent, session } = await openSession(dialect, {
      script: (agent) =>
        agent.on('session/prompt', () => {
          agent.update('s1', says('I begin.', 'm1'), toolCall(dialect, { status: 'in_progress' }));
          return noAnswer;
        }),
    });
    session.prompt('Write.').catch(() => {});
    await agent.called('session/prompt');
    await settle();
    return JSON.parse(JSON.stringify(session.conversation));
  }

  test.each([undefined, 'prefer', 'require', 'skip'] as const)(
    'shows its entries with their keys, with nothing under way, and asks for no replay, also through openSession with the history %s',
    async (history) => {
      const conversation = await saved();
      expect(conversation.entries).toMatchObject([{ origin: 'local' }, {}, { status: 'in_progress' }]);
      const { agent, connection } = await connectTo(everything[dialect], {
        answers: { 'session/resume': {}, 'session/load': {} },
      });
      const session = history
        ? await connection.openSession(params, { history, conversation })
        : await connection.resumeSession(params, { conversation });
      const shown = session.conversation;
      expect(shown.entries).toMatchObject([{ origin: 'live' }, { messageId: 'm1' }, { status: 'cancelled' }]);
      expect(shown.entries.map(({ key }) => key)).toEqual(conversation.entries.map(({ key }) => key));
      expect(shown.activity.state).toBe('idle');
      expect(agent.calls('session/resume')).toHaveLength(1);
      expect(agent.calls('session/resume')[0]?.params).not.toHaveProperty('replayFrom');
      expect(agent.calls('session/load')).toEqual([]);
    },
  );

  test('keeps where its entries are from, and how its last turn ended', async () => {
    const good = await saved();
    const activity = { state: 'idle', stopReason: 'refusal' } as const;
    const background = [{ type: 'tool_call', toolCallId: 't1' }];
    const entries = good.entries.map((entry, index) =>
      index === 1 ? { ...entry, origin: 'replay' } : entry,
    );
    const conversation = { ...good, activity: { ...activity, background }, entries } as Conversation;
    const { connection } = await connectTo(everything[dialect], {
      answers: { 'session/resume': {} },
    });
    const shown = (await connection.resumeSession(params, { conversation })).conversation;
    expect(shown.entries.map((entry) => ('origin' in entry ? entry.origin : undefined))).toEqual([
      'live',
      'replay',
      'origin' in (good.entries[2] ?? {}) ? 'live' : undefined,
    ]);
    // Work in the background has ended too.
    expect(shown.activity).toEqual(activity);
    expect(shown.entries[2]).toMatchObject({ status: 'cancelled' });
  });

  test('gives each next prompt a new key, however often the conversation was saved', async () => {
    let conversation = await saved();
    for (const key of ['prompt:2', 'prompt:3']) {
      const { agent, connection } = await connectTo(everything[dialect], {
        answers: { 'session/resume': {}, 'session/prompt': noAnswer },
      });
      const session = await connection.resumeSession(params, { conversation });
      session.prompt('Go on.').catch(() => {});
      await agent.called('session/prompt');
      const { entries } = session.conversation;
      expect(entries.at(-1)).toMatchObject({ key, role: 'user', content: [text('Go on.')] });
      expect(new Set(entries.map((entry) => entry.key)).size).toBe(entries.length);
      conversation = JSON.parse(JSON.stringify(session.conversation));
    }
  });

  test('does not repeat what an agent replays that it was not asked for', async () => {
    const conversation = await saved();
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/resume', (_params, agent) => {
          agent.update('s1', repeats('Write.', 'u1'), says('I begin.', 'm1'));
          return {};
        }),
    });
    const session = await connection.resumeSession(params, { conversation });
    await settle();
    expect(session.conversation.entries.map(({ key }) => key)).toEqual(
      conversation.entries.map(({ key }) => key),
    );
  });
});

test('an update of a session that is being created stays if another call is answered first', async () => {
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    answers: { 'session/new': noAnswer },
  });
  const creating = [connection.newSession({ cwd: '/a' }), connection.newSession({ cwd: '/b' })];
  const { id: second = '' } = await agent.called('session/new', 2);
  const [{ id: first = '' } = {}] = agent.calls('session/new');
  const content = text('Early.');
  agent.update('s2', { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content });
  agent.answer(first, { sessionId: 's1' });
  await creating[0];
  agent.answer(second, { sessionId: 's2' });
  const session = await creating[1];
  expect(session?.conversation.entries).toMatchObject([{ content: [content] }]);
  // The setup is that of its own call, not of the one that was thought to create it.
  expect(session?.cwd).toBe('/b');
  expect(diagnostics).toEqual([]);
});

describe('a saved conversation', () => {
  test.each<[string, (good: Conversation) => unknown, string]>([
    ['of another session', (good) => ({ ...good, sessionId: 's2' }), 'of the session "s2"'],
    ['without entries', ({ entries: _, ...rest }) => rest, 'is not a conversation'],
    ['that is text', (good) => JSON.stringify(good), 'is not a conversation'],
    [
      'that has nothing, with its first fault alone,',
      () => ({}),
      'library: conversation.sessionId is missing. Pass',
    ],
  ])('%s is refused', async (_, change, message) => {
    const { agent, connection } = await connectTo(everything.v1);
    // In JavaScript any value can be passed.
    const conversation = change(emptyConversation('s1')) as Conversation;
    const params = { sessionId: 's1', cwd };
    await expect(connection.resumeSession(params, { conversation })).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringContaining(message),
    });
    expect(agent.calls('session/resume')).toEqual([]);
    expect(connection.sessions).toEqual([]);
  });

  test('is refused for a session that is open', async () => {
    const { connection } = await openSession('v1');
    const conversation = emptyConversation('s1');
    await expect(connection.resumeSession({ sessionId: 's1', cwd }, { conversation })).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringContaining('is open'),
    });
  });
});

describe('a listed session', () => {
  const answers = { 'session/load': {}, 'session/resume': {}, 'session/fork': { sessionId: 's2' } };
  const info = {
    sessionId: 's1',
    cwd,
    title: 'Tea',
    updatedAt: '2026-03-01T10:30:00Z',
    _meta: { of: 'the list' },
  };

  test.each([
    ['as it is', {}],
    ['with null in it', { title: null, updatedAt: null, _meta: null }],
    ['spread beside other parameters', { mcpServers: [] }],
  ])('can be opened in each way, %s, and nothing of the list is sent', async (_, more) => {
    for (const call of ['openSession', 'loadSession', 'resumeSession', 'forkSession'] as const) {
      const { agent, connection } = await connectTo(everything.v1, { answers });
      await connection[call]({ ...info, ...more });
      const sent = ['session/load', 'session/resume', 'session/fork'].flatMap((method) =>
        agent.calls(method),
      );
      expect(
        sent.map(({ params }) => params),
        call,
      ).toEqual([{ sessionId: 's1', cwd, mcpServers: [] }]);
    }
  });
});

test('openSession names both features that it can use, and asks for one of them', async () => {
  const { connection } = await connectTo(nothing.v1);
  await expect(connection.openSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
    missing: [{ feature: 'session.load' }, { feature: 'session.resume' }],
    message: expect.stringMatching(
      /^openSession needs session\.load or .*Check connection\.supports\('session\.load'\) or connection\.supports\('session\.resume'\) first/,
    ),
  });
});
