import { describe, expect, test } from 'vitest';
import type { Session } from '../../../src/core/client/session/session.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import {
  connectTo,
  dialectNames,
  everything,
  loadMethod,
  nothing,
  refuses,
  settle,
} from '../../support/agents.ts';
import { cwd, openSession, outline } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { permissionParams, says } from '../../support/updates.ts';

/** What the promise has resolved with by now. */
function ended(session: Session): Promise<unknown> {
  return Promise.race([session.closed, settle().then(() => 'open')]);
}

const refuse = refuses(-32603, 'No.');

describe.each(dialectNames)('the end of a session, in %s', (dialect) => {
  /** How the dialect loads a session. */
  const load = loadMethod(dialect);

  /** Connects to an agent whose runs take these scripts, one after the other. */
  const connectWith = (...scripts: ((agent: ScriptedAgent) => unknown)[]) =>
    connectRestarting(
      (agent, run) => {
        agent.on('initialize', everything[dialect]);
        scripts[run]?.(agent);
      },
      { reconnect: { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 1 } },
    );

  test('is the end of the connection, without an error if the editor closed it', async () => {
    const { connection, session } = await openSession(dialect);
    await connection.close();
    expect(await session.closed).toEqual({ reason: 'connectionClosed' });
  });

  test('is the end of the connection, with its error if the agent ended', async () => {
    const { agent, connection, session } = await openSession(dialect);
    agent.update('s1', says('My last words.', 'm1'));
    agent.channel.exit({ exitCode: 7 });
    const seen = session.closed.then((end) => [end, outline(session.conversation)]);
    const { error } = await connection.closed;
    expect(error).toBeDefined();
    expect(await seen).toEqual([{ reason: 'connectionClosed', error }, ['agent: My last words.']]);
  });

  test('is not there while the session continues with a new process of the agent', async () => {
    const restarting = await connectWith(
      () => {},
      (agent) => agent.on('session/resume', {}).on('session/close', {}),
    );
    const session = await restarting.connection.newSession({ cwd });
    await crash(restarting);
    expect(await ended(session)).toBe('open');
    await session.close();
    expect(await session.closed).toEqual({ reason: 'closed' });
  });

  test('is notRestored, if the new process does not know the session, and a queued message rejects with the same error: it is not lost in silence', async () => {
    const { connection, agents, diagnostics } = await connectWith(
      (agent) => agent.on('session/prompt', () => noAnswer),
      (agent) => agent.on('session/resume', refuse),
    );
    const session = await connection.newSession({ cwd });
    const running = session.prompt('One.');
    const waiting = session.queue('Two.');
    await Promise.all([
      // It says how the agent ended.
      expect(running).rejects.toMatchObject({ code: 'connection.closed' }),
      expect(waiting).rejects.toMatchObject({ code: 'remote', rpcCode: -32603 }),
      agents[0]?.called('session/prompt').then(() => agents[0]?.channel.end()),
    ]);
    const { reason, error } = await session.closed;
    expect(reason).toBe('notRestored');
    await expect(waiting).rejects.toBe(error);
    expect(session.conversation.pendingMessages).toBeUndefined();
    const refused = /which is closed \(notRestored\)\. Nothing was sent\. Create a new session\.$/;
    await expect(session.prompt('Three.')).rejects.toThrow(refused);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    await connection.ready;
  });

  test('is notRestored, and reported, if the new process can neither resume nor load', async () => {
    const { connection, agents, diagnostics } = await connectWith(
      () => {},
      (agent) => agent.on('initialize', nothing[dialect]),
    );
    const session = await connection.newSession({ cwd });
    agents[0]?.channel.end();
    expect(await session.closed).toMatchObject({
      reason: 'notRestored',
      error: { code: 'usage.capability', feature: 'session.load' },
    });
    const [diagnostic] = diagnostics.filter(({ rule }) => rule === 'protocol.unknown_session');
    expect(diagnostic?.message).toMatch(/"s1" could not be opened again: The agent /);
    expect(diagnostic?.message).not.toContain('allowUnsupported');
  });

  test('is the end of the connection, if the agent ends while it closes the session', async () => {
    const { connection, agents } = await connectWith(
      (agent) => agent.on('session/close', () => noAnswer),
      () => {},
    );
    const session = await connection.newSession({ cwd });
    const closing = session.close().catch((error: unknown) => error);
    await agents[0]?.called('session/close');
    agents[0]?.channel.exit({ exitCode: 7 });
    expect(await session.closed).toMatchObject({
      reason: 'connectionClosed',
      error: { code: 'agent.exit', exitCode: 7 },
    });
    expect(await closing).toMatchObject({ code: 'connection.closed' });
  });

  test.each([
    ['with the error of the load', refuse, false],
    ['without an error, if the load was aborted', () => noAnswer, true],
  ])('is notOpened %s, for a session that onProgress gave', async (_, answer, isAborted) => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(load, (_params, agent) => {
          agent.update('s1', says('history', 'm1'));
          return answer();
        }),
    });
    const control = new AbortController();
    let loading: Session | undefined;
    const onProgress = (progress: { readonly session: Session }) => {
      loading = progress.session;
      if (isAborted) control.abort();
    };
    const error = await connection
      .loadSession({ sessionId: 's1', cwd }, { onProgress, signal: control.signal })
      .catch((failure: unknown) => failure);
    const end = isAborted ? { reason: 'notOpened' } : { reason: 'notOpened', error };
    expect(await loading?.closed).toEqual(end);
  });

  test('is notOpened, for a session that the agent used before it refused to create it', async () => {
    const used: { session: Session; signal: AbortSignal }[] = [];
    const { agent, connection } = await connectTo(everything[dialect], {
      handlers: {
        requestPermission(_request, { session, signal }) {
          used.push({ session, signal });
          return new Promise(() => {});
        },
      },
    });
    agent.on('session/new', async () => {
      void agent.request('session/request_permission', permissionParams(dialect, { sessionId: 'early' }));
      await settle();
      return refuse();
    });
    await expect(connection.newSession({ cwd })).rejects.toThrow('No.');
    const [early] = used;
    expect(early?.signal.aborted).toBe(true);
    expect(await early?.session.closed).toEqual({ reason: 'notOpened' });
  });
});
