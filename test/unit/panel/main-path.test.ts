import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';
import { cwd, panelPair, until } from '../../support/panel-pair.ts';
import { permissionParams, says, stateUpdate, toolCall, yes } from '../../support/updates.ts';

/** Ends a turn as the dialect does: with the answer, or with the idle state. */
async function runTurn(dialect: DialectName, agent: ScriptedAgent, sessionId: string, work: () => unknown) {
  if (dialect === 'v1') {
    await work();
    return { stopReason: 'end_turn' };
  }
  setImmediate(async () => {
    agent.update(sessionId, stateUpdate('running'));
    await work();
    agent.update(sessionId, stateUpdate('idle', { stopReason: 'end_turn' }));
  });
  return {};
}

const chunk = says('Hello.', 'm1');

describe.each(dialectNames)('a panel with an agent of %s', (dialect) => {
  test('creates a session with the first prompt, and shows the turn when the promise resolves', async () => {
    const { panel, served } = await panelPair({
      dialect,
      script: (agent) =>
        agent
          .on('session/new', () => {
            // There is no history to load.
            expect(served.state.loading).toBeNull();
            return { sessionId: 's1' };
          })
          .on('session/prompt', ({ sessionId }) =>
            runTurn(dialect, agent, String(sessionId), () => agent.update(String(sessionId), chunk)),
          ),
    });
    const empty = { phase: 'open', sessionId: null, cwd: null, conversation: null };
    expect(panel.getSnapshot()).toMatchObject(empty);
    await expect(panel.prompt('Hi')).resolves.toEqual({ stopReason: 'end_turn' });
    const { conversation, sessions, ...state } = panel.getSnapshot();
    expect(state).toMatchObject({ problem: null, sessionId: 's1', cwd });
    expect(sessions).toMatchObject([{ sessionId: 's1', cwd }]);
    expect(conversation && outline(conversation)).toEqual(['user: Hi', 'agent: Hello.']);
  });

  test('shows a permission request and answers it', async () => {
    const asked: unknown[] = [];
    const options = [{ optionId: 'no', name: 'Reject', kind: 'reject_once' }, yes];
    const permission = permissionParams(dialect, { options });
    const { panel } = await panelPair({
      dialect,
      script: (agent) =>
        agent.on('session/prompt', () =>
          runTurn(dialect, agent, 's1', async () => {
            agent.update('s1', toolCall(dialect, { kind: 'execute', status: 'pending' }));
            asked.push((await agent.request('session/request_permission', permission)).result);
          }),
        ),
    });
    const turn = panel.prompt('test');
    const { questions, conversation } = await until(panel, (state) => state.questions.length > 0);
    const [question] = questions;
    expect(question).toMatchObject({
      kind: 'permission',
      sessionId: 's1',
      title: dialect === 'v1' ? 'Write' : 'Write?',
      subagent: null,
    });
    const entry = conversation?.entries.find(({ kind }) => kind === 'toolCall');
    expect(question).toMatchObject({ toolCallKey: entry?.key });
    await panel.answer(question?.id ?? '', { optionId: 'yes' });
    expect(panel.getSnapshot().questions).toEqual([]);
    await turn;
    expect(asked).toEqual([{ outcome: { outcome: 'selected', optionId: 'yes' } }]);
  });

  test('lists the sessions of the workspace, and opens one with its history', async () => {
    const { panel } = await panelPair({
      dialect,
      script(agent) {
        const open = async ({ sessionId }: JsonObject) => {
          await until(panel, ({ loading }) => loading?.updates === 0);
          agent.update(String(sessionId), chunk);
          return {};
        };
        const sessions = [
          { sessionId: 'a', cwd: `${cwd}/below`, title: 'Below' },
          { sessionId: 'b', cwd: '/home/user/project-2' },
        ];
        agent.on('session/list', { sessions }).on('session/load', open).on('session/resume', open);
      },
    });
    expect(panel.getSnapshot().sessions).toEqual([{ sessionId: 'a', cwd: `${cwd}/below`, title: 'Below' }]);
    await panel.openSession('a');
    const { sessionId, conversation, loading } = panel.getSnapshot();
    expect(loading).toBeNull();
    expect(sessionId).toBe('a');
    expect(conversation && outline(conversation)).toEqual(['agent: Hello.']);
    await expect(panel.openSession('b')).rejects.toMatchObject({ code: 'panel.refused' });
    expect(panel.getSnapshot().sessionId).toBe('a');
  });
});
