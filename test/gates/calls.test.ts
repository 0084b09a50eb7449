import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../src/client/calls.ts';
import type { ClientConnection } from '../../src/client/connection.ts';
import type { Session } from '../../src/client/session.ts';
import type { CallName } from '../../src/protocol/calls.ts';
import type { Dialect } from '../../src/protocol/dialect.ts';
import { everything } from '../support/agents.ts';
import { cwd, flush, sent, sentSinceInitialize } from '../support/open-session.ts';
import { agentsWithout, connectIn, dialects } from './agents.ts';
import { sampleOf } from './samples.ts';

type OfConnection = (connection: ClientConnection, options: CallOptions) => Promise<unknown>;
type OfSession = (session: Session, options: CallOptions) => Promise<unknown>;

const open = { sessionId: 's1', cwd };

/** How each call is made by its method; an editor has no other way but by hand. */
const ofConnection: { readonly [K in CallName]?: OfConnection } = {
  newSession: (connection, options) => connection.newSession({ cwd, ...options }),
  loadSession: (connection, options) => connection.loadSession(open, options),
  resumeSession: (connection, options) => connection.resumeSession(open, options),
  forkSession: (connection, options) => connection.forkSession(open, options),
  listSessions: (connection, options) => connection.listSessions(options).page(),
  deleteSession: (connection, options) => connection.deleteSession('s1', options),
  archiveSession: (connection, options) => connection.archiveSession('s1', options),
  unarchiveSession: (connection, options) => connection.unarchiveSession('s1', options),
  sessionStatus: (connection, options) => connection.sessionStatus('s1', options),
  setSessionTitle: (connection, options) => connection.setSessionTitle('s1', 'T', options),
  login: (connection, options) => connection.login('key', options),
  logout: (connection, options) => connection.logout(options),
  authStatus: (connection, options) => connection.authStatus(options),
  listProviders: (connection, options) => connection.listProviders(options),
  setProvider: (connection, options) =>
    connection.setProvider({ providerId: 'p', apiType: 'openai', baseUrl: 'https://example.com' }, options),
  disableProvider: (connection, options) => connection.disableProvider('p', options),
};

const ofSession: { readonly [K in CallName]?: OfSession } = {
  closeSession: (session, options) => session.close(options),
  prompt: (session, options) => session.prompt('Hello', options).accepted,
  cancel: (session, options) => session.cancel(options),
  setMode: (session, options) => session.setMode('code', options),
  setConfigOption: (session, options) => session.setConfigOption('model', 'small', options),
  cancelToolCall: (session, options) => session.cancelToolCall('t1', options),
  cancelTerminal: (session, options) => session.cancelTerminal('x', options),
};

function descriptorOf(dialect: Dialect, name: CallName) {
  const call = dialect.calls[name];
  if (!call) throw new Error(`${dialect.name} has no ${name}`);
  return call.descriptor;
}

test('each call has its method', () => {
  const all = Object.keys(dialects[0]?.calls ?? {});
  expect([...Object.keys(ofConnection), ...Object.keys(ofSession)].sort()).toEqual(all.sort());
});

describe.each(dialects)('the calls of $name', (dialect) => {
  const has = (name: string) => dialect.calls[name as CallName] !== undefined;
  const free = Object.entries(ofConnection).filter(([name]) => has(name)) as [CallName, OfConnection][];
  const bound = Object.entries(ofSession).filter(([name]) => has(name)) as [CallName, OfSession][];

  test.each(free)('%s is refused without its feature, and nothing is sent', async (name, call) => {
    const { method, requires } = descriptorOf(dialect, name);
    for (const { initialize, path, value } of agentsWithout(
      dialect,
      requires as NonNullable<typeof requires>,
    )) {
      const { agent, connection } = await connectIn(dialect, initialize);
      await expect(call(connection, {})).rejects.toMatchObject({
        code: 'usage.capability',
        method,
        feature: requires,
        answered: false,
        missing: [{ path, value }],
      });
      expect(connection.sessions).toEqual([]);
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    }
  });

  test.each(free)('%s is sent with its feature, as the version has it', async (name, call) => {
    const { agent, connection } = await connectIn(dialect, everything[dialect.name], {
      script: (agent) => {
        const { result } = sampleOf(dialect, descriptorOf(dialect, name));
        agent.on(descriptorOf(dialect, name).method, result ?? {});
      },
    });
    await call(connection, {});
    const { method } = descriptorOf(dialect, name);
    const { params } = sampleOf(dialect, descriptorOf(dialect, name));
    const replays = name === 'loadSession' && method === 'session/resume';
    expect(sentSinceInitialize(agent).map((message) => [message.method, message.params])).toEqual([
      [method, { ...params, ...(replays && { replayFrom: { type: 'start' } }) }],
    ]);
  });

  test.each(free)(
    '%s is sent without its feature where the call allows it, and -32601 says so',
    async (name, call) => {
      const { method, requires } = descriptorOf(dialect, name);
      for (const { initialize } of agentsWithout(dialect, requires as NonNullable<typeof requires>)) {
        const { agent, connection } = await connectIn(dialect, initialize);
        const error = await call(connection, { allowUnsupported: true }).catch((failure: unknown) => failure);
        expect(error).toMatchObject({ code: 'usage.capability', method, feature: requires, answered: true });
        expect((error as Error).message).not.toContain('although it advertised it');
        expect(agent.calls(method)).toHaveLength(1);
      }
    },
  );

  test.each(bound)('%s is refused by a session whose agent lacks the feature', async (name, call) => {
    const { method, requires } = descriptorOf(dialect, name);
    const feature = requires as NonNullable<typeof requires>;
    const { path } = dialect.features[feature];
    for (const { initialize, value } of agentsWithout(dialect, feature)) {
      const { agent, connection } = await connectIn(dialect, initialize, {
        script: (agent) => agent.on('session/new', { sessionId: 's1' }),
      });
      const session = await connection.newSession({ cwd, allowUnsupported: true });
      await expect(call(session, {})).rejects.toMatchObject({
        code: 'usage.capability',
        method,
        missing: [{ feature, path, value }],
      });
      await flush(agent);
      expect(sent(agent)).toEqual([]);
      expect(session.conversation.getSnapshot().entries).toEqual([]);
    }
  });

  test.each(bound)('%s is sent by a session that has it, as the version has it', async (name, call) => {
    const descriptor = descriptorOf(dialect, name);
    const { params, result } = sampleOf(dialect, descriptor);
    const { agent, connection } = await connectIn(dialect, everything[dialect.name], {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }).on(descriptor.method, result ?? {}),
    });
    const session = await connection.newSession({ cwd });
    // Whether this session offers it now is another matter, which the gate has no part in.
    await call(session, { allowUnsupported: true });
    await flush(agent);
    expect(sent(agent).map((message) => [message.method, message.params])).toEqual([
      [descriptor.method, params],
    ]);
  });

  const missing = Object.keys(dialect.calls).filter((name) => !has(name)) as CallName[];

  test('what the version does not have is refused by its name', async () => {
    const { agent, connection } = await connectIn(dialect, everything[dialect.name], {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
    });
    const session = await connection.newSession({ cwd });
    for (const name of missing) {
      const error = await ofSession[name]?.(session, { allowUnsupported: true }).catch((failure) => failure);
      expect(error).toMatchObject({ code: 'usage.capability', missing: [{ path: 'protocolVersion' }] });
      // By its name on the wire, and not by ours.
      expect((error as { method: string }).method).toMatch(/^[a-z_]+\/[a-z_]+$/);
      expect(String(error)).toContain((error as { method: string }).method);
    }
    await flush(agent);
    expect(sent(agent)).toEqual([]);
  });
});
