import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AuthRequiredError } from '../../../src/core/base/errors.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { connectTo, everything, nothing, refuses } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, openSession, outline } from '../../support/open-session.ts';
import { all, said } from '../../support/recorded-stores.ts';

const agentInfo = { name: 'scripted', version: '1.0.0', title: 'A scripted agent' };
const titled = { sessionUpdate: 'session_info_update', title: 'Leap years' };

/** The transcript of a session with one turn. */
async function recorded(storage = memoryStorage()) {
  const transcripts = await openTranscripts({ storage });
  onTestFinished(() => transcripts.close());
  const { session, connection } = await openSession('v1', {
    initialize: { ...everything.v1, agentInfo },
    script: (agent) =>
      agent.on('session/prompt', () => {
        agent.update('s1', said('agent', 'N'), said('agent', 'o.'), titled);
        return { stopReason: 'end_turn' };
      }),
  });
  transcripts.record(session);
  await session.prompt('Is 1900 a leap year?');
  // The end of the session ends its recording.
  await connection.close();
  await eventually(async () => (await storage.read('s1'))[0]?.text).toContain('"ended":true');
  expect(await transcripts.read('s1')).toEqual(session.conversation);
  return transcripts;
}

const saved = ['user: Is 1900 a leap year?', 'agent: No.'];

describe('a recorded session', () => {
  test('is loaded, and what the agent replays and what was saved are one transcript', async () => {
    const transcripts = await recorded();
    const { connection, agent } = await connectTo(everything.v1, {
      script: (scripted) =>
        scripted.on('session/load', () => {
          scripted.update('s1', said('user', 'Is 1900 a leap year?'));
          scripted.update('s1', said('user', 'And 2000?'), said('agent', 'Yes.'));
          return {};
        }),
    });
    const mcpServers = [{ name: 'files', command: '/usr/bin/files', args: [], env: [] }];
    const reopened = await transcripts.reopen('s1', connection, { mcpServers });
    const { session, continued, reason, conversation } = reopened;
    expect((await agent.called('session/load')).params).toEqual({ sessionId: 's1', cwd, mcpServers });
    expect({ continued, reason }).toEqual({ continued: 'loaded', reason: null });
    const whole = [...saved, 'user: And 2000?', 'agent: Yes.'];
    expect(session && outline(session.conversation)).toEqual(whole);
    expect(outline(conversation)).toEqual(whole);
    if (session) await transcripts.record(session)();
    expect(outline(await transcripts.read('s1'))).toEqual(whole);
  });

  test('is continued in the directory that the caller names, if its own is damaged', async () => {
    const storage = memoryStorage();
    await recorded(storage);
    const read = async (id: string) =>
      (await storage.read(id)).map(({ text, writer }) => ({ writer, text: text.replace('"cwd"', '"cwe"') }));
    const transcripts = await openTranscripts({ storage: { ...storage, read } });
    onTestFinished(() => transcripts.close());
    const { connection, agent } = await connectTo(everything.v1, {
      script: (scripted) => scripted.on('session/load', {}),
    });
    const { session, reason } = await transcripts.reopen('s1', connection);
    expect({ session, reason }).toEqual({ session: null, reason: expect.stringContaining('Pass cwd') });
    expect(agent.calls('session/load')).toEqual([]);
    expect(await transcripts.reopen('s1', connection, { cwd })).toMatchObject({ continued: 'loaded' });
  });

  const [question, next] = [said('user', 'Is 1900 a leap year?'), said('user', 'And 2000?')];
  const replayed = [question, said('agent', 'No.'), next];
  test.each([
    ['of what was saved, where an agent that has less says an older one', 1, '2020-02-29T00:00:00.000Z'],
    ['of what was saved, where an agent that has the same says an older one', 2, '2020-02-29T00:00:00.000Z'],
    ['of an agent that has more', 3, '2096-02-29T00:00:00.000Z'],
  ])('has the time %s', async (_, count, updatedAt) => {
    const transcripts = await recorded();
    const [before] = await all(transcripts.list());
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', () => {
          agent.update('s1', ...replayed.slice(0, count), { ...titled, updatedAt });
          return {};
        }),
    });
    await transcripts.record(await connection.loadSession({ sessionId: 's1', cwd }))();
    const time = count > 2 ? updatedAt : before?.updatedAt;
    expect(await all(transcripts.list())).toMatchObject([{ id: 's1', updatedAt: time }]);
    expect(outline(await transcripts.read('s1')).slice(0, 2)).toEqual(saved);
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

  test('is returned if it is open already, and its recording goes on', async () => {
    const transcripts = await recorded();
    const { connection, agent } = await connectTo(everything.v1, {
      script: (scripted) => scripted.on('session/load', {}).on('session/prompt', { stopReason: 'end_turn' }),
    });
    await connection.loadSession({ sessionId: 's2', cwd });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const stop = transcripts.record(session);
    await session.prompt('And 2000?');
    const { conversation } = session;
    const reopened = await transcripts.reopen('s1', connection);
    expect(reopened.session).toBe(session);
    expect(reopened).toMatchObject({ continued: 'loaded', conversation, reason: null });
    agent.update('s1', said('agent', 'Yes.'));
    await eventually(() => session.conversation.entries.length).toBe(2);
    await stop();
    const whole = [...saved, 'user: And 2000?', 'agent: Yes.'];
    expect(outline(await transcripts.read('s1'))).toEqual(whole);
  });

  test('is for reading if the agent cannot continue it', async () => {
    const transcripts = await recorded();
    const { connection } = await connectTo(nothing.v1);
    const { session, continued, reason, conversation } = await transcripts.reopen('s1', connection);
    expect({ session, continued }).toEqual({ session: null, continued: 'none' });
    expect(reason).toBe('The agent cannot load sessions. It cannot resume sessions.');
    expect(outline(conversation)).toEqual(saved);
    const info = { id: 's1', sessionId: 's1', title: 'Leap years', cwd, isNewer: false };
    expect(await all(transcripts.list())).toMatchObject([{ ...info, agent: agentInfo }]);
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
    const agents = (await all(transcripts.list())).map(({ agent }) => agent);
    expect(agents).toStrictEqual([{ name: 'scripted', version: '1.0.0' }, agentInfo]);
    const earlier = await transcripts.reopen('s1', connection);
    expect(earlier).toMatchObject({
      session: null,
      reason: 'The agent has given the id of this session, s1, to a newer session.',
    });
    expect((await transcripts.reopen(id, connection)).session).toBe(session);
    // In another window, with another session, it continues its transcript.
    const window = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's2' }).on('session/load', () => {
          agent.update('s1', said('user', 'Hello.'), said('user', 'And again.'), said('agent', 'Yes.'));
          return {};
        }),
    });
    await window.connection.newSession({ cwd });
    const { session: loaded } = await transcripts.reopen(id, window.connection);
    if (loaded) await transcripts.record(loaded)();
    expect(outline(await transcripts.read('s1'))).toEqual(saved);
    expect(outline(await transcripts.read(id))).toContain('agent: Yes.');
  });
});
