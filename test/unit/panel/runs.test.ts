import { describe, expect, test } from 'vitest';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { RememberedSession } from '../../../src/ui/panel/options.ts';
import { MachineRunner } from '../../../src/ui/panel/runner.ts';
import type { PanelState } from '../../../src/ui/panel/state.ts';
import { text } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';
import { cwd, hurryTime, panelPair, startingPanel, until } from '../../support/panel-pair.ts';
import { says } from '../../support/updates.ts';

const longWaits = { firstDelayMs: 600_000, maxDelayMs: 600_000 };

const lines = ({ conversation }: PanelState) => conversation && outline(conversation);

test('a panel that is closed while it begins to start the agent starts it first, and then ends it', () => {
  const performed: string[] = [];
  const runner: MachineRunner = new MachineRunner([], ({ type }) => {
    performed.push(type);
    if (type === 'withdraw') runner.dispatch({ type: 'close' });
  });
  const question = { kind: 'login', id: 'q1', reason: 'Log in.', methods: [] } as const;
  expect(runner.sentState).toMatchObject({ phase: 'starting', questions: [] });
  runner.dispatch({ type: 'asked', question });
  runner.dispatch({ type: 'start' });
  expect(performed).toEqual(['withdraw', 'start', 'stop']);
});

test('the user can end an agent that does not answer at its start, and start it again', async () => {
  const { panel, agents } = startingPanel({
    script: (agent, start) => start === 1 && agent.on('initialize', () => noAnswer),
  });
  await until(panel, ({ phase }) => phase === 'starting');
  await panel.stop();
  const { problem } = await until(panel, ({ phase }) => phase === 'closed');
  expect(problem).toBeNull();
  await panel.restart();
  await until(panel, ({ phase }) => phase === 'open');
  expect(agents).toHaveLength(2);
});

describe('a crash and a restart', () => {
  test('the end of the agent is explained, and the session continues', async () => {
    const { panel, agent, agents } = await panelPair({
      answers: { 'session/prompt': noAnswer, 'session/resume': {} },
    });
    const turn = panel.prompt('work');
    await agent().called('session/prompt');
    agent().channel.exit({ exitCode: 3, signal: null, stderrTail: 'panic: no disk' });
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    const down = await until(panel, ({ phase, problem }) => phase === 'reconnecting' && problem !== null);
    expect(down.problem?.message).toMatch(/^scripted .+\. The agent is being started again\. What it was /);
    const up = await until(panel, ({ phase }) => phase === 'open');
    expect(agents).toHaveLength(2);
    expect(up.problem?.message).toContain('The agent was started again.');
    agent().on('session/prompt', { stopReason: 'end_turn' });
    await panel.prompt('go on');
    expect(panel.getSnapshot().problem).toBeNull();
    expect(lines(panel.getSnapshot())?.at(-1)).toBe('user: go on');
  });

  test('a new start of the agent is offered while a cancelled turn goes on, and not after it', async () => {
    hurryTime();
    const { panel, agent, agents } = await panelPair({
      answers: { 'session/prompt': noAnswer, 'session/load': {} },
    });
    const ignore = async (words: string) => {
      const turn = panel.prompt(words);
      const { id = '' } = await agent().called('session/prompt', agent().calls('session/prompt').length + 1);
      await panel.cancel();
      const { problem } = await until(panel, (state) => {
        agent().update('s1', says('Still here.', 'm1'));
        return state.problem !== null;
      });
      expect(problem).toMatchObject({ code: 'session.cancel_ignored', remedy: 'restart' });
      return { turn, id };
    };
    const { turn, id } = await ignore('work');
    await panel.refreshSessions();
    expect(panel.getSnapshot().problem).not.toBeNull();
    agent().answer(id, { stopReason: 'cancelled' });
    await turn;
    await until(panel, ({ problem }) => problem === null);
    const second = await ignore('more');
    second.turn.catch(() => {});
    await panel.restart();
    await until(panel, ({ phase, problem, loading }) => phase === 'open' && !problem && loading === null);
    expect(agents).toHaveLength(2);
  });

  test('the page says when the next attempt begins, and retryNow begins it at once', async () => {
    const { panel, agent, agents } = await panelPair({
      answers: { 'session/prompt': { stopReason: 'end_turn' }, 'session/resume': {} },
      // Only the user ends such a wait within the test.
      options: { connect: { clientInfo: { name: 'test', version: '0' }, reconnect: longWaits } },
    });
    await panel.prompt('work');
    agent().channel.exit({ exitCode: 3 });
    const down = await until(panel, ({ nextAttemptAt }) => nextAttemptAt !== null);
    expect(down.phase).toBe('reconnecting');
    expect(down.nextAttemptAt).toBeGreaterThan(Date.now());
    expect(down.problem?.message).toContain('The agent is being started again.');
    await panel.retryNow();
    const up = await until(panel, ({ phase }) => phase === 'open');
    expect(up.nextAttemptAt).toBeNull();
    expect(agents).toHaveLength(2);
  });

  test('restart opens the session again, and two restarts at once leave one agent', async () => {
    const { panel, agents, served } = await panelPair({
      script: (agent) =>
        agent.on('session/prompt', { stopReason: 'end_turn' }).on('session/load', ({ sessionId }) => {
          agent.update(String(sessionId), { sessionUpdate: 'user_message_chunk', content: text('old') });
          return {};
        }),
    });
    await panel.prompt('old');
    const first = panel.restart();
    await served.restart();
    await first;
    const state = await until(panel, ({ phase, loading }) => phase === 'open' && loading === null);
    expect(state.sessionId).toBe('s1');
    expect(lines(state)).toEqual(['user: old']);
    const open = agents.filter((agent) => agent.calls('session/load').length > 0);
    expect(open).toHaveLength(1);
    await panel.prompt('new');
  });

  test('the remembered session is opened at the start, and forgotten when the agent does not have it', async () => {
    const load = (agent: ScriptedAgent) =>
      agent.on('session/load', ({ sessionId }) => {
        if (sessionId !== 'kept') throw new RequestError(-32002, 'unknown session');
        agent.update('kept', { sessionUpdate: 'agent_message_chunk', content: text('history') });
        return {};
      });
    const sets: (RememberedSession | undefined)[] = [];
    const memory = (sessionId: string) => ({
      get: () => ({ sessionId, cwd }),
      set: (shown: RememberedSession | undefined) => sets.push(shown),
    });
    const good = await panelPair({ script: load, options: { memory: memory('kept') } });
    expect(lines(good.panel.getSnapshot())).toEqual(['agent: history']);
    sets.length = 0;
    const bad = await panelPair({ script: load, options: { memory: memory('gone') } });
    expect(bad.panel.getSnapshot()).toMatchObject({
      sessionId: null,
      phase: 'open',
      problem: { code: 'remote.not_found' },
    });
    expect(sets).toEqual([undefined]);
  });
});
