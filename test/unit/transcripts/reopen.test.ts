import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AuthRequiredError } from '../../../src/core/base/errors.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { connectTo, everything, nothing, refuses } from '../../support/agents.ts';
import { cwd, openSession, outline } from '../../support/open-session.ts';
import { all, said } from '../../support/recorded-stores.ts';

/** The transcript of a session with one turn. */
async function recorded() {
  const transcripts = await openTranscripts({ storage: memoryStorage() });
  onTestFinished(() => transcripts.close());
  const { session, connection } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/prompt', () => {
        agent.update('s1', said('agent', 'No.'));
        return { stopReason: 'end_turn' };
      }),
  });
  const stop = transcripts.record(session);
  await session.prompt('Is 1900 a leap year?');
  await stop();
  await connection.close();
  return transcripts;
}

const saved = ['user: Is 1900 a leap year?', 'agent: No.'];

describe('a recorded session', () => {
  test('is loaded, and what the agent replays and what was saved are one transcript', async () => {
    const transcripts = await recorded();
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', () => {
          agent.update('s1', said('user', 'Is 1900 a leap year?'), said('agent', 'No.'));
          agent.update('s1', said('user', 'And 2000?'), said('agent', 'Yes.'));
          return {};
        }),
    });
    const { session, continued, reason, conversation } = await transcripts.reopen('s1', connection);
    expect({ continued, reason }).toEqual({ continued: 'loaded', reason: null });
    const whole = [...saved, 'user: And 2000?', 'agent: Yes.'];
    expect(session && outline(session.conversation)).toEqual(whole);
    expect(outline(conversation)).toEqual(whole);
    if (session) await transcripts.record(session)();
    expect(outline(await transcripts.read('s1'))).toEqual(whole);
  });

  test('keeps the time of what was saved, where an agent that has lost the turn says an older one', async () => {
    const transcripts = await recorded();
    const [before] = await all(transcripts.list());
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', () => {
          const old = { sessionUpdate: 'session_info_update', updatedAt: '2020-02-29T00:00:00.000Z' };
          agent.update('s1', said('user', 'Is 1900 a leap year?'), old);
          return {};
        }),
    });
    await transcripts.record(await connection.loadSession({ sessionId: 's1', cwd }))();
    const [after] = await all(transcripts.list());
    expect(after?.updatedAt).toBe(before?.updatedAt);
    expect(outline(await transcripts.read('s1'))).toEqual(saved);
  });

  test('is resumed with what was saved if the agent has lost its history', async () => {
    const transcripts = await recorded();
    const { connection, agent } = await connectTo(everything.v1, {
      script: (scripted) =>
        scripted
          .on('session/load', refuses(-32002, 'No such session'))
          .on('session/resume', {})
          .on('session/prompt', () => {
            scripted.update('s1', said('agent', 'Hello again.'));
            return { stopReason: 'end_turn' };
          }),
    });
    const { session, continued, reason } = await transcripts.reopen('s1', connection);
    expect(continued).toBe('resumed');
    expect(reason).toContain('No such session');
    expect(session && outline(session.conversation)).toEqual(saved);
    const stop = session && transcripts.record(session);
    await session?.prompt('Is 1900 a leap year?');
    await stop?.();
    const whole = [...saved, 'user: Is 1900 a leap year?', 'agent: Hello again.'];
    expect(outline(await transcripts.read('s1'))).toEqual(whole);
    expect(agent.received.length).toBeGreaterThan(0);
  });

  test.each(['session/load', 'session/resume'] as const)(
    'that needs a login first is not for reading: the error of %s says so',
    async (method) => {
      const transcripts = await recorded();
      const refused = refuses(-32000, 'Authentication required');
      const lost = refuses(-32002, 'No such session');
      const { connection } = await connectTo(everything.v1, {
        script: (agent) => agent.on('session/load', lost).on('session/resume', lost).on(method, refused),
      });
      await expect(transcripts.reopen('s1', connection)).rejects.toBeInstanceOf(AuthRequiredError);
    },
  );

  test('is for reading if the agent cannot continue it', async () => {
    const transcripts = await recorded();
    const { connection } = await connectTo(nothing.v1);
    const { session, continued, reason, conversation } = await transcripts.reopen('s1', connection);
    expect({ session, continued }).toEqual({ session: null, continued: 'none' });
    expect(reason).toBe('The agent cannot load sessions. It cannot resume sessions.');
    expect(outline(conversation)).toEqual(saved);
  });

  test('is not given to another agent', async () => {
    const transcripts = await recorded();
    const { connection, agent } = await connectTo({
      ...everything.v1,
      agentInfo: { name: 'another', version: '1.0.0' },
    });
    const { continued, reason } = await transcripts.reopen('s1', connection);
    expect(continued).toBe('none');
    expect(reason).toContain('Connect to scripted to continue it.');
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize']);
  });

  test('that another agent has under the same id has a transcript of its own', async () => {
    const transcripts = await recorded();
    const { connection } = await connectTo(
      { ...everything.v1, agentInfo: { name: 'another', version: '1.0.0' } },
      {
        answers: { 'session/new': { sessionId: 's1' }, 'session/prompt': { stopReason: 'end_turn' } },
      },
    );
    const session = await connection.newSession({ cwd });
    const stop = transcripts.record(session);
    await session.prompt('Hello.');
    await stop();
    expect(outline(await transcripts.read('s1'))).toEqual(saved);
    expect(outline(await transcripts.read('s1 (another)'))).toEqual(['user: Hello.']);
    const { session: again } = await transcripts.reopen('s1 (another)', connection);
    expect(again).toBe(session);
  });

  test('whose id the agent gives to a new session keeps its transcript, and the new one has its own', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const transcripts = await recorded();
    vi.setSystemTime(Date.UTC(2026, 0, 2));
    const { session, connection } = await openSession('v1', {
      script: (agent) => agent.on('session/prompt', { stopReason: 'end_turn' }),
    });
    const stop = transcripts.record(session);
    await session.prompt('Hello.');
    await stop();
    // The same session again: it continues its transcript.
    const stopAgain = transcripts.record(session);
    await session.prompt('And again.');
    await stopAgain();
    const id = 's1 (2026-01-02T00:00:00.000Z)';
    expect(outline(await transcripts.read('s1'))).toEqual(saved);
    expect(outline(await transcripts.read(id))).toEqual(['user: Hello.', 'user: And again.']);
    expect(await all(transcripts.list())).toMatchObject([
      { id, sessionId: 's1' },
      { id: 's1', sessionId: 's1' },
    ]);
    const earlier = await transcripts.reopen('s1', connection);
    expect(earlier).toMatchObject({
      session: null,
      reason: 'The agent has given the id of this session, s1, to a newer session.',
    });
    expect((await transcripts.reopen(id, connection)).session).toBe(session);
  });
});
