import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { macrotask } from '../../../src/core/transport/macrotask.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import { cwd, type PanelSetup, panelPair, startingPanel, until } from '../../support/panel-pair.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';

/** A transcript that no agent lists. */
async function saved(
  id = 'old',
  text = 'Is 1900 a leap year?',
  where = cwd,
  storage: TranscriptStorage = memoryStorage(),
): Promise<Transcripts> {
  const transcripts = await openTranscripts({ storage });
  const { session, apply } = storeSession(id, { cwd: where });
  await apply(said('user', text), said('agent', 'No.'));
  await transcripts.record(session)();
  return transcripts;
}

/** A panel with transcripts that have its session. */
async function recordedPanel(setup: Pick<PanelSetup, 'answers' | 'script'> = {}) {
  const transcripts = await openTranscripts({ storage: memoryStorage() });
  const answers = { 'session/prompt': { stopReason: 'end_turn' }, ...setup.answers };
  const pair = await panelPair({ ...setup, options: { transcripts }, answers });
  await pair.panel.prompt('Is 1900 a leap year?');
  const { conversation } = pair.panel.getSnapshot();
  await eventually(() => transcripts.read('s1').catch(() => undefined)).toEqual(conversation);
  return { ...pair, transcripts };
}

const withoutSessions = {
  protocolVersion: 1,
  agentInfo: { name: 'scripted', version: '1.0.0' },
  agentCapabilities: {},
};

const memory = { get: () => ({ sessionId: 'old', cwd }), set() {} };

describe('a panel with transcripts', () => {
  test('lists the sessions that the agent does not list, marked', async () => {
    const { panel } = await panelPair({
      options: { transcripts: await saved() },
      answers: { 'session/list': { sessions: [{ sessionId: 'known', cwd, title: 'Known' }] } },
    });
    await eventually(() => panel.getSnapshot().sessions).toMatchObject([
      { sessionId: 'known', title: 'Known' },
      { sessionId: 'old', title: 'Is 1900 a leap year?', isSavedOnly: true },
    ]);
    expect(panel.getSnapshot().sessions[0]).not.toHaveProperty('isSavedOnly');
  });

  test('does not list a session of another directory', async () => {
    const transcripts = await saved('old', 'Hello.', '/home/user/elsewhere');
    const { panel } = await panelPair({ options: { transcripts } });
    await panel.refreshSessions();
    expect(panel.getSnapshot().sessions).toEqual([]);
    await expect(panel.openSession('old')).rejects.toMatchObject({ code: 'panel.refused' });
    await expect(panel.exportTranscript('old', 'text')).rejects.toMatchObject({ code: 'panel.not_saved' });
    expect(await panel.searchTranscripts('hello')).toEqual({ hits: [], isComplete: true });
  });

  test('shows a session that the agent has lost, and says why it can only be read', async () => {
    const { panel, served } = await panelPair({
      initialize: withoutSessions,
      options: { transcripts: await saved() },
    });
    await panel.refreshSessions();
    await panel.openSession('old');
    const { conversation, readOnly, sessionId } = panel.getSnapshot();
    expect(sessionId).toBe('old');
    expect(conversation && outline(conversation)).toEqual(['user: Is 1900 a leap year?', 'agent: No.']);
    expect(readOnly).toBe('The agent cannot load sessions. It cannot resume sessions.');
    expect(served.session?.isClosed).toBe(true);
    for (const send of [panel.prompt, panel.queue, panel.steer]) {
      await expect(send('And 2000?')).rejects.toMatchObject({
        code: 'panel.read_only',
        message: 'This session can only be read. The agent cannot load sessions. It cannot resume sessions.',
      });
      expect(panel.getSnapshot().draft).toBe('And 2000?');
    }
  });

  test('shows a session at once, and continues it when the agent has opened it', async () => {
    let answer = () => {};
    const { panel, agent } = await panelPair({
      options: { transcripts: await saved() },
      answers: {
        'session/load': () => new Promise((resolve) => (answer = () => resolve({}))),
        'session/prompt': { stopReason: 'end_turn' },
      },
    });
    await panel.refreshSessions();
    const opened = panel.openSession('old');
    await eventually(() => panel.getSnapshot().conversation?.entries.length).toBe(2);
    await eventually(() => agent().received.some(({ method }) => method === 'session/load')).toBe(true);
    expect(panel.getSnapshot().loading).not.toBeNull();
    answer();
    await opened;
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 'old', readOnly: null, loading: null });
    await panel.prompt('And 2000?');
    expect(panel.getSnapshot().conversation?.entries).toHaveLength(3);
  });

  test('does not show a session that is read when another one was chosen', async () => {
    const storage = memoryStorage();
    const held = deferred();
    let isHeld = false;
    const read = async (id: string) => {
      if (isHeld) await held.promise;
      return storage.read(id);
    };
    const transcripts = await saved('old', 'Is 1900 a leap year?', cwd, { ...storage, read });
    const { panel } = await panelPair({ options: { transcripts } });
    await panel.refreshSessions();
    isHeld = true;
    const opened = panel.openSession('old');
    await panel.newSession();
    held.resolve();
    await expect(opened).rejects.toMatchObject({ code: 'panel.superseded' });
    expect(panel.getSnapshot().sessionId).toBe('s1');
  });

  test.each([
    [200, true],
    [201, false],
  ])('finds the first 200 of %i places, and says whether they are all: %j', async (count, isComplete) => {
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    const { session, apply } = storeSession('old', { cwd });
    await apply(...Array.from({ length: count }, (_, at) => said(at % 2 === 0 ? 'user' : 'agent', 'Tea.')));
    await transcripts.record(session)();
    const { panel } = await panelPair({ options: { transcripts } });
    await panel.refreshSessions();
    const found = await panel.searchTranscripts('tea');
    expect([found.hits.length, found.isComplete]).toEqual([200, isComplete]);
  });

  test('lists as many sessions of the agent, and as many saved ones, as its limit says', async () => {
    const storage = memoryStorage();
    await saved('one', 'Hello.', cwd, storage);
    const transcripts = await saved('two', 'Hello.', cwd, storage);
    const { panel } = await panelPair({
      options: { transcripts, limits: { listedSessions: 1 } },
      answers: {
        'session/list': {
          sessions: [
            { sessionId: 'elsewhere', cwd: '/home/user/elsewhere' },
            { sessionId: 'a', cwd },
            { sessionId: 'b', cwd },
          ],
        },
      },
    });
    await panel.refreshSessions();
    const found = panel.getSnapshot().sessions.map(({ sessionId, isSavedOnly }) => [sessionId, isSavedOnly]);
    expect(found).toEqual([
      ['a', undefined],
      [expect.stringMatching(/^(one|two)$/), true],
    ]);
  });

  test('is closed when what was said is written', async () => {
    const storage = memoryStorage();
    const held = deferred();
    const transcripts = await openTranscripts({
      storage: {
        ...storage,
        append: async (batch) => {
          await held.promise;
          return storage.append(batch);
        },
      },
    });
    const { panel, served, agent } = await panelPair({
      options: { transcripts },
      answers: { 'session/prompt': { stopReason: 'end_turn' } },
    });
    await panel.prompt('Is 1900 a leap year?');
    const order: string[] = [];
    const closing = served.close().then(() => order.push('closed'));
    await new Promise<void>((resolve) => agent().channel.onEnd(resolve));
    for (let turn = 0; turn < 20; turn++) await new Promise<void>(macrotask);
    order.push('written');
    held.resolve();
    await closing;
    expect(order).toEqual(['written', 'closed']);
    expect((await transcripts.read('s1')).entries).toMatchObject([{ role: 'user' }]);
  });

  test('shows the session of the memory at the start, though the agent was killed in a turn and has lost it', async () => {
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    const { session, apply } = storeSession('old', { cwd });
    const call = {
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'Run',
      status: 'in_progress',
    } as const;
    await apply(said('user', 'Hi.'), call, { sessionUpdate: 'state_update', state: 'running' });
    await transcripts.record(session)();
    const { panel } = await panelPair({
      initialize: withoutSessions,
      options: { transcripts, memory },
    });
    await eventually(() => panel.getSnapshot().readOnly).toContain('The agent cannot load sessions.');
    expect(panel.getSnapshot()).toMatchObject({
      sessionId: 'old',
      problem: null,
      conversation: { activity: { state: 'idle' }, entries: [{}, { status: 'cancelled' }] },
    });
    await panel.newSession();
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', readOnly: null });
  });

  test('shows the session of the memory at once, while the agent opens it', async () => {
    const { panel } = startingPanel({
      options: { transcripts: await saved(), memory },
      answers: { 'session/load': noAnswer },
    });
    const { conversation } = await until(panel, (state) => state.conversation !== null);
    expect(conversation && outline(conversation)).toEqual(['user: Is 1900 a leap year?', 'agent: No.']);
  });

  test('shows a session for reading after a change of the agent, and continues it when its agent is back', async () => {
    const { panel } = await recordedPanel({
      script: (agent, start) => {
        if (start === 2)
          agent.on('initialize', { ...everything.v1, agentInfo: { name: 'another', version: '1' } });
        agent.on('session/load', () => {
          if (start !== 2) return {};
          throw new RequestError(-32002, 'No such session');
        });
      },
    });
    await panel.restart();
    await eventually(() => panel.getSnapshot().readOnly).toContain('Connect to scripted to continue it.');
    const { conversation, problem } = panel.getSnapshot();
    expect(conversation && outline(conversation)).toEqual(['user: Is 1900 a leap year?']);
    expect(problem).toBeNull();
    await panel.restart();
    await eventually(() => panel.getSnapshot()).toMatchObject({
      sessionId: 's1',
      readOnly: null,
      problem: null,
    });
  });

  test.each([
    ['since the last listing', false],
    ['and listed', true],
  ])('deletes the transcript of a session of the agent that was recorded %s', async (_, isListed) => {
    const { panel, agent, transcripts } = await recordedPanel({ answers: { 'session/delete': {} } });
    if (isListed) await panel.refreshSessions();
    await panel.deleteSession('s1');
    expect(agent().calls('session/delete')).toHaveLength(1);
    await expect(transcripts.read('s1')).rejects.toMatchObject({ code: 'transcript.not_found' });
  });

  test('deletes a session that only the transcripts have, without the agent', async () => {
    const transcripts = await saved();
    const { panel, agent } = await panelPair({ options: { transcripts } });
    await panel.refreshSessions();
    await panel.deleteSession('old');
    expect(panel.getSnapshot().sessions).toEqual([]);
    await expect(transcripts.read('old')).rejects.toMatchObject({ code: 'transcript.not_found' });
    expect(agent().received.map(({ method }) => method)).not.toContain('session/delete');
  });

  test('lists the saved sessions though the agent does not start', async () => {
    const { panel } = await panelPair({
      options: {
        transcripts: await saved(),
        agent() {
          throw new Error('There is no such program.');
        },
      },
    });
    await eventually(() => panel.getSnapshot().sessions).toMatchObject([
      { sessionId: 'old', isSavedOnly: true },
    ]);
    await panel.openSession('old');
    const { conversation, readOnly } = panel.getSnapshot();
    expect(conversation && outline(conversation)).toEqual(['user: Is 1900 a leap year?', 'agent: No.']);
    expect(readOnly).toContain('The agent is not running.');
  });

  test('keeps the list of the sessions while the agent is started again during a turn', async () => {
    const { panel, served } = await panelPair({
      options: { transcripts: await saved() },
      answers: {
        'session/list': { sessions: [{ sessionId: 'known', cwd }] },
        'session/prompt': noAnswer,
        'session/load': {},
      },
    });
    const turn = panel.prompt('Hi');
    await until(panel, ({ conversation }) => conversation?.activity.state === 'running');
    const lists: (readonly string[])[] = [];
    served.subscribe(() => lists.push(served.state.sessions.map(({ sessionId }) => sessionId)));
    const restarted = panel.restart();
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    await restarted;
    await panel.refreshSessions();
    expect(lists).not.toEqual([]);
    for (const list of lists) expect(list).toEqual(expect.arrayContaining(['known', 'old']));
  });

  test('says that the transcripts cannot be listed, while the agent still lists its sessions', async () => {
    const storage = memoryStorage();
    let isBroken = false;
    const { panel, agent } = await panelPair({
      options: {
        transcripts: await saved('old', 'Hello.', cwd, {
          ...storage,
          list(filter) {
            if (isBroken) throw new Error('The disk is gone.');
            return storage.list(filter);
          },
        }),
      },
    });
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    isBroken = true;
    const answer = deferred<JsonObject>();
    const asked = deferred();
    agent().on('session/list', () => {
      asked.resolve();
      return answer.promise;
    });
    const refreshed = panel.refreshSessions();
    await asked.promise;
    for (let turn = 0; turn < 20; turn++) await new Promise<void>(macrotask);
    expect(unhandled).not.toContainEqual(new Error('The disk is gone.'));
    answer.resolve({ sessions: [] });
    await expect(refreshed).rejects.toThrow('The disk is gone.');
  });
});
