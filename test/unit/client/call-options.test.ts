import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { UsageError } from '../../../src/core/base/errors.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { noAnswer, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

// What JavaScript can pass, and TypeScript cannot.
type Call = (connection: ClientConnection, session: Session, wrong: never) => unknown;

/** An object whose properties cannot be read. */
const unreadable = new Proxy(
  {},
  {
    get: (_, key) => fail(key),
    has: (_, key) => fail(key),
    ownKeys: () => fail('keys'),
    getPrototypeOf: () => fail('prototype'),
  },
);
function fail(key: PropertyKey): never {
  throw new TypeError(`no ${String(key)}`);
}
const getters = {
  get signal() {
    return fail('signal');
  },
  get timeoutMs() {
    return fail('timeoutMs');
  },
  get cwd() {
    return fail('cwd');
  },
  get sessionId() {
    return fail('sessionId');
  },
};

const known = { sessionId: 's1' };
const opened = { sessionId: 's2', cwd: '/' };
const reopening = ['forkSession', 'loadSession', 'resumeSession', 'openSession'] as const;
const ofOneValue = [...reopening, 'newSession', 'deleteSession', 'login'] as const;
const options: Readonly<Record<string, Call>> = {
  newSession: (connection, _, wrong) => connection.newSession({ cwd: '/' }, wrong),
  ...Object.fromEntries(
    reopening.map((name): [string, Call] => [name, (each, _, wrong) => each[name](opened, wrong)]),
  ),
  'listSessions().page': (connection, _, wrong) => connection.listSessions({}, wrong).page(),
  'a loop over listSessions': async (connection, _, wrong) => {
    for await (const _info of connection.listSessions({}, wrong)) break;
  },
  deleteSession: (connection, _, wrong) => connection.deleteSession('s1', wrong),
  login: (connection, _, wrong) => connection.login('key', wrong),
  logout: (connection, _, wrong) => connection.logout(wrong),
  'request of the protocol': (connection, _, wrong) => connection.request('session/list', {}, wrong),
  'request of an extension': (connection, _, wrong) => connection.request('_x', {}, wrong),
  'notify of the protocol': (connection, _, wrong) => connection.notify('session/cancel', known, wrong),
  'notify of an extension': (connection, _, wrong) => connection.notify('_x', {}, wrong),
  prompt: (_, session, wrong) => session.prompt('x', wrong),
  cancel: (_, session, wrong) => session.cancel(wrong),
  changeSetting: (_, session, wrong) => session.changeSetting('x', 'y', wrong),
  setMode: (_, session, wrong) => session.setMode('x', wrong),
  setConfigOption: (_, session, wrong) => session.setConfigOption('x', 'y', wrong),
  close: (_, session, wrong) => session.close(wrong),
  connect: (_, __, wrong) => connect(scriptedAgent().transport, wrong),
};

const values: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    ofOneValue.map((name): [string, Call] => [name, (each, _, wrong) => each[name](wrong)]),
  ),
  'listSessions().page': (connection, _, wrong) => connection.listSessions(wrong).page(),
  'a loop over listSessions': async (connection, _, wrong) => {
    for await (const _info of connection.listSessions(wrong)) break;
  },
  request: (connection, _, wrong) => connection.request(wrong),
  'request of the protocol': (connection, _, wrong) => connection.request('session/list', wrong),
  'request of an extension': (connection, _, wrong) => connection.request('_x', wrong),
  notify: (connection, _, wrong) => connection.notify(wrong),
  'notify of the protocol': (connection, _, wrong) => connection.notify('session/cancel', wrong),
  'notify of an extension': (connection, _, wrong) => connection.notify('_x', wrong),
  prompt: (_, session, wrong) => session.prompt(wrong),
  'prompt with a block': (_, session, wrong) => session.prompt([wrong]),
  changeSetting: (_, session, wrong) => session.changeSetting(wrong, 'y'),
  setMode: (_, session, wrong) => session.setMode(wrong),
  setConfigOption: (_, session, wrong) => session.setConfigOption(wrong, 'y'),
  'connect with clientInfo': (_, __, wrong) => connect(scriptedAgent().transport, { clientInfo: wrong }),
  'connect with handlers': (_, __, wrong) =>
    connect(scriptedAgent().transport, { clientInfo: { name: 'x', version: '1' }, handlers: wrong }),
};

/** The turns end with the connection. */
const answers = { 'session/prompt': noAnswer } as const;

async function failureOf(call: Call, wrong: unknown) {
  const { agent, connection, session } = await openSession('v1', { answers });
  const sent = agent.received.length;
  const settled = await Promise.allSettled([(async () => call(connection, session, wrong as never))()]);
  const [outcome] = settled;
  expect(agent.received).toHaveLength(sent);
  return outcome?.status === 'rejected' ? outcome.reason : outcome;
}

describe.each([
  ['options', options],
  ['a value', values],
])('%s that cannot be read', (_, calls) => {
  test.each(Object.entries(calls))('rejects %s with an error that says why', async (_call, call) => {
    for (const wrong of [getters, unreadable]) {
      const error = await failureOf(call, wrong);
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain('Nothing was sent.');
    }
  });
});

test.each(Object.entries(options))('%s with the options null or 7 says so', async (_, call) => {
  for (const wrong of [null, 7]) {
    const error = await failureOf(call, wrong);
    expect(error).toMatchObject({ code: 'usage.params' });
    expect(error.message).toMatch(
      wrong === null ? /options must be .+; got null/ : /options must be .+; got a number/,
    );
  }
});

test.each<[string, Call]>([
  ['request', (connection, _, wrong) => connection.request(wrong)],
  ['notify', (connection, _, wrong) => connection.notify(wrong)],
])('%s without the name of a method says so', async (_, call) => {
  for (const [wrong, shown] of [
    [null, 'null'],
    [7, '7'],
    [{ method: '_x' }, 'an object'],
  ]) {
    const error = await failureOf(call, wrong);
    expect(error).toMatchObject({ code: 'usage.params' });
    expect(error.message).toContain(`The method must be a string; got ${shown}. Nothing was sent.`);
  }
});

describe.each(dialectNames)('options that are undefined, in %s', (dialect) => {
  test('are sent as options that are omitted', async () => {
    const { agent, connection, session } = await openSession(dialect, { answers });
    agent.on('session/list', { sessions: [] });
    const server = { name: 'a', command: '/a' };
    await connection.newSession({ cwd, mcpServers: [server] });
    await connection.newSession(
      {
        cwd,
        mcpServers: [{ ...server, type: undefined, args: undefined, env: undefined, _meta: undefined }],
        additionalDirectories: undefined,
        systemPrompt: undefined,
        _meta: undefined,
      },
      { signal: undefined, timeoutMs: undefined, allowUnsupported: undefined, meta: undefined },
    );
    await connection.listSessions();
    await connection.listSessions({
      cwd: undefined,
      cursor: undefined,
      archived: undefined,
      _meta: undefined,
    });
    const image = { type: 'image', data: 'QUFB', mimeType: 'image/png' } as const;
    const idempotencyKey = 'k1';
    session.prompt([image], { idempotencyKey }).catch(() => {});
    session
      .prompt([{ ...image, uri: undefined, annotations: undefined, _meta: undefined }], {
        meta: undefined,
        idempotencyKey,
      })
      .catch(() => {});
    await agent.called('session/prompt', 2);

    for (const method of ['session/new', 'session/list', 'session/prompt']) {
      const [omitted, given] = agent.calls(method).slice(-2);
      expect(given?.params).toEqual(omitted?.params);
    }
  });

  test('differ from null, which is sent', async () => {
    const { agent, session } = await openSession(dialect, { answers });
    const image = {
      type: 'image',
      data: 'QUFB',
      mimeType: 'image/png',
      uri: null,
      annotations: null,
    } as const;
    session.prompt([image]).catch(() => {});
    const sent = await agent.called('session/prompt');
    expect(sent.params?.['prompt']).toEqual([image]);
  });

  test('are sent to connect as options that are omitted', async () => {
    const clientInfo = { name: 'test', version: '0' };
    const sent = [];
    for (const options of [
      { clientInfo },
      {
        clientInfo,
        meta: undefined,
        clientCapabilities: { _meta: undefined },
        handlers: { requestPermission: undefined, terminals: undefined, elicit: { form: undefined } },
        protocolVersions: undefined,
        terminalLogin: undefined,
        reconnect: undefined,
        signal: undefined,
        trace: undefined,
      },
    ]) {
      const agent = scriptedAgent().on('initialize', everything[dialect]);
      const connection = await connect(agent.transport, options);
      sent.push(agent.calls('initialize')[0]?.params);
      await connection.close();
    }
    expect(sent[1]).toEqual(sent[0]);
  });
});
