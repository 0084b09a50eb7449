import { assert, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { SavedSessions } from '../../../src/ui/panel/saved-sessions.ts';
import { connectTo, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import {
  cwd,
  hostOptions,
  type PanelPair,
  type PanelSetup,
  panelPair,
  startedHost,
} from '../../support/panel-pair.ts';
import { RawPage } from '../../support/raw-page.ts';

const capabilities = { protocolVersion: 1, agentCapabilities: {} };

const agentNamed = (name: string) => ({ ...capabilities, agentInfo: { name, version: '1.0.0' } });

/** What an agent and its user said, in the order in which it was saved. */
interface Kept {
  readonly agent: string;
  readonly sessionId: string;
  readonly text: string;
  readonly where?: string;
}

/** Transcripts of sessions, each saved a second after the one before. */
async function kept(...all: readonly Kept[]): Promise<Transcripts> {
  const transcripts = await openTranscripts({ storage: memoryStorage() });
  onTestFinished(() => void vi.useRealTimers());
  for (const { agent, sessionId, text, where = cwd } of all) {
    vi.setSystemTime(Date.now() + 1000);
    const { connection } = await connectTo(agentNamed(agent), {
      answers: { 'session/new': { sessionId }, 'session/prompt': { stopReason: 'end_turn' } },
    });
    const session = await connection.newSession({ cwd: where });
    const stop = transcripts.record(session);
    await session.prompt(text);
    await stop();
  }
  vi.useRealTimers();
  return transcripts;
}

const rows = ({ panel }: Pick<PanelPair, 'panel'>) =>
  panel
    .getSnapshot()
    .sessions.map(({ sessionId, title, isSavedOnly = false }) => [sessionId, title, isSavedOnly]);

const shown = ({ panel }: Pick<PanelPair, 'panel'>) => {
  const { conversation } = panel.getSnapshot();
  return conversation && outline(conversation);
};

/** A panel with transcripts of two agents, for one session id. The first start of the agent fails. */
async function panelOfTwoAgents(answer: () => unknown): Promise<PanelPair> {
  return panelPair({
    options: {
      transcripts: await kept(
        { agent: 'scripted', sessionId: 's1', text: 'For this one.' },
        { agent: 'another', sessionId: 's1', text: 'For the other one.' },
      ),
    },
    script: (agent, start) =>
      agent.on('initialize', async () => {
        if (start === 1) throw new RequestError(-32603, 'It does not start.');
        await answer();
        return agentNamed('scripted');
      }),
  });
}

test('a session that is opened while another agent is started stays the one that was chosen', async () => {
  const asked = deferred();
  const started = deferred();
  const pair = await panelOfTwoAgents(() => {
    asked.resolve();
    return started.promise;
  });
  expect(rows(pair)).toEqual([
    ['s1', 'For the other one.', true],
    ['s1 (scripted)', 'For this one.', true],
  ]);
  const { panel } = pair;
  const restarted = panel.restart();
  await asked.promise;
  const opened = panel.openSession('s1');
  await eventually(() => shown(pair)).toEqual(['user: For the other one.']);
  started.resolve();
  await Promise.all([restarted, opened]);
  expect(shown(pair)).toEqual(['user: For the other one.']);
  const { readOnly, sessionId } = panel.getSnapshot();
  expect(readOnly).toContain('Connect to another to continue it.');
  expect(sessionId).toBe('s1 (another)');
  expect(rows(pair)).toEqual([
    ['s1 (another)', 'For the other one.', true],
    ['s1', 'For this one.', true],
  ]);
});

test('a session that is read is the one that was chosen, and stays it when the agent is started', async () => {
  const pair = await panelOfTwoAgents(() => {});
  const { panel } = pair;
  await panel.openSession('s1 (scripted)');
  expect([panel.getSnapshot().sessionId, shown(pair)]).toEqual(['s1 (scripted)', ['user: For this one.']]);
  await panel.openSession('s1');
  expect(shown(pair)).toEqual(['user: For the other one.']);
  await panel.restart();
  await eventually(() => panel.getSnapshot().sessionId).toBe('s1 (another)');
  expect(shown(pair)).toEqual(['user: For the other one.']);
});

test('the sessions of two agents with the same id are searched and exported apart', async () => {
  const transcripts = await kept({ agent: 'another', sessionId: 's1', text: 'For the other one.' });
  const pair = await panelPair({
    initialize: agentNamed('scripted'),
    options: { transcripts },
    answers: { 'session/prompt': { stopReason: 'end_turn' } },
  });
  const { panel } = pair;
  await panel.prompt('For this one.');
  await eventually(() => transcripts.read('s1 (scripted)').catch(() => undefined)).toBeDefined();
  await panel.refreshSessions();
  const { hits } = await panel.searchTranscripts('the other');
  const hit = { sessionId: 's1 (another)', text: 'For the other one.', match: { start: 4, end: 13 } };
  expect(hits).toMatchObject([hit]);
  expect(await panel.exportTranscript('s1', 'markdown')).toMatch(/^#+ .+For this one\./s);
  await panel.restart();
  await eventually(() => panel.getSnapshot().readOnly).toContain('The agent cannot load sessions.');
  expect(shown(pair)).toEqual(['user: For this one.']);
});

test('the sessions of an agent are listed, though the disk has not answered since before it was started', async () => {
  const held = deferred();
  const disk = memoryStorage();
  let isSlow = false;
  const storage: TranscriptStorage = {
    ...disk,
    async *list(filter) {
      if (isSlow) await held.promise;
      yield* disk.list(filter);
    },
  };
  const { panel, agents } = await panelPair({
    options: { transcripts: await openTranscripts({ storage }) },
    script: (agent, start) =>
      agent.on('session/list', { sessions: [{ sessionId: `of start ${start}`, cwd }] }),
  });
  isSlow = true;
  const refreshed = panel.refreshSessions();
  await agents[0]?.called('session/list', 2);
  isSlow = false;
  const restarted = panel.restart();
  try {
    await eventually(() => rows({ panel })).toEqual([['of start 2', null, false]]);
  } finally {
    held.resolve();
  }
  await Promise.all([refreshed, restarted]);
});

test.each<[agent: string, id: string, ...others: readonly Kept[]]>([
  ['scripted', 's1 (scripted)', { agent: 'another', sessionId: 's1', text: 'For the other one.' }],
  [
    'third',
    's1',
    { agent: 'scripted', sessionId: 's1', text: 'In another directory.', where: `${cwd}/below` },
    { agent: 'scripted', sessionId: 's2', text: 'Another one.' },
  ],
])(
  'while %s is connected, the session that another agent had is read by the id that it had then, in its directory: %s',
  async (name, id, ...others) => {
    const memory = { get: () => ({ sessionId: id, cwd }), set() {} };
    const transcripts = await kept({ agent: 'scripted', sessionId: 's1', text: 'This one.' }, ...others);
    const pair = await panelPair({ initialize: agentNamed(name), options: { transcripts, memory } });
    await eventually(() => shown(pair)).toEqual(['user: This one.']);
  },
);

test('the session of before is shown and remembered when a saved one cannot be continued', async () => {
  let isOpen = true;
  const remembered: unknown[] = [];
  const { panel } = await panelPair({
    options: {
      transcripts: await kept({ agent: 'scripted', sessionId: 'old', text: 'Is 1900 a leap year?' }),
      memory: { get: () => undefined, set: (session) => void remembered.push(session?.sessionId) },
      workspace: () => {
        if (!isOpen) throw new Error('No folder is open.');
        return { cwd };
      },
    },
  });
  await panel.newSession();
  await panel.refreshSessions();
  isOpen = false;
  await expect(panel.openSession('old')).rejects.toThrow('No folder is open.');
  expect(panel.getSnapshot().sessionId).toBe('s1');
  expect(remembered).toEqual(['s1', 'old', 's1']);
});

test('the session that is shown stays as it is while an agent that is started again opens it', async () => {
  const transcripts = await openTranscripts({ storage: memoryStorage() });
  const held = deferred();
  const { panel, agents } = await panelPair({
    options: { transcripts },
    answers: {
      'session/prompt': { stopReason: 'end_turn' },
      'session/load': async () => {
        await held.promise;
        return {};
      },
    },
  });
  await panel.prompt('Hello.');
  await eventually(() => transcripts.read('s1').catch(() => undefined)).toBeDefined();
  await panel.refreshSessions();
  const restarted = panel.restart();
  await eventually(() => agents[1]?.calls('session/load').length).toBe(1);
  await settle();
  expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', readOnly: null });
  held.resolve();
  await restarted;
});

test('a session that the memory of the editor opens at once is not given up with the one before', async () => {
  const page = new RawPage();
  const setup: PanelSetup = {
    options: {
      transcripts: await kept(
        { agent: 'scripted', sessionId: 'a', text: 'This one.' },
        { agent: 'scripted', sessionId: 'b', text: 'The other one.' },
      ),
      memory: {
        get: () => undefined,
        // While the machine performs its effects.
        set: (session) => session?.sessionId === 'a' && page.open('openSession', { sessionId: 'b' }),
      },
    },
    answers: { 'session/load': {} },
  };
  const { served } = await startedHost(setup, page.channel);
  page.hello();
  const { next } = page;
  void page.call('openSession', { sessionId: 'a' });
  expect((await page.result(next + 1)).error).toBeNull();
  expect(served.state.sessionId).toBe('b');
});

test('a session that is not in the list any more when it is read has the id that the agent gave it', async () => {
  const transcripts = await kept(
    { agent: 'scripted', sessionId: 's1', text: 'The older one.' },
    { agent: 'scripted', sessionId: 's2', text: 'The newer one.' },
  );
  const saved = new SavedSessions({ ...hostOptions({}).options, transcripts });
  await saved.list({ limit: 2, agentName: undefined }, () => {});
  const older = saved.get('s1');
  assert(older);
  await saved.list({ limit: 1, agentName: undefined }, () => {});
  expect(await saved.read(older)).toMatchObject({ sessionId: 's1' });
});
