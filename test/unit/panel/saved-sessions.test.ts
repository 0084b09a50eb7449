import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/base/wait.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { memoryStorage } from '../../../src/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../../src/transcripts/transcripts.ts';
import { connectTo } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import { cwd, type PanelPair, panelPair } from '../../support/panel-pair.ts';

const capabilities = { protocolVersion: 1, agentCapabilities: {} };

const agentNamed = (name: string) => ({ ...capabilities, agentInfo: { name, version: '1.0.0' } });

/** What an agent and its user said, in the order in which it was saved. */
interface Kept {
  readonly agent: string;
  readonly sessionId: string;
  readonly text: string;
}

/** Transcripts of sessions, each saved a second after the one before. */
async function kept(...all: readonly Kept[]): Promise<Transcripts> {
  const transcripts = await openTranscripts({ storage: memoryStorage() });
  onTestFinished(() => void vi.useRealTimers());
  for (const { agent, sessionId, text } of all) {
    vi.setSystemTime(Date.now() + 1000);
    const { connection } = await connectTo(agentNamed(agent), {
      script: (scripted) =>
        scripted.on('session/new', { sessionId }).on('session/prompt', { stopReason: 'end_turn' }),
    });
    const session = await connection.newSession({ cwd });
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

test('a session that is read stays the one that was chosen when the agent is started', async () => {
  const pair = await panelOfTwoAgents(() => {});
  const { panel } = pair;
  await panel.openSession('s1');
  expect(shown(pair)).toEqual(['user: For the other one.']);
  await panel.restart();
  await eventually(() => panel.getSnapshot().sessionId).toBe('s1 (another)');
  expect(shown(pair)).toEqual(['user: For the other one.']);
});

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
