import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { servePanel } from '../../../src/entries/panel.ts';
import type { PanelAgent, PanelAgentStatus } from '../../../src/ui/panel/agent-choice.ts';
import type { PanelMemory, PanelOptions, RememberedSession } from '../../../src/ui/panel/options.ts';
import { cwd, hostOptions, type PanelSetup, panelPair, until } from '../../support/panel-pair.ts';

/** A panel with the agents `one` and `two`, of which each start is listed. */
async function choosingPanel({
  memory,
  change = (agents) => agents,
  ...setup
}: Pick<PanelSetup, 'answers' | 'script'> & {
  readonly memory?: PanelMemory;
  readonly change?: (agents: readonly PanelAgent[]) => PanelOptions['agents'];
} = {}) {
  const started: string[] = [];
  const { start, agents: scripted } = hostOptions(setup);
  const agentOf = (id: string): PanelAgent => ({
    id,
    name: id.toUpperCase(),
    start() {
      started.push(id);
      return start();
    },
  });
  const agents = change([agentOf('one'), agentOf('two')]);
  const pair = await panelPair({ options: { agents, ...(memory && { memory }) } });
  if (typeof agents === 'object') await until(pair.panel, (state) => state.agents.length === agents.length);
  const chosen = () => pair.panel.getSnapshot().agents.map(({ id, isChosen }) => [id, isChosen]);
  return { ...pair, started, scripted, chosen };
}

/** A memory that keeps what it is given, as an editor does. */
function memoryWith(agent?: string) {
  const kept: { session?: RememberedSession | undefined; agent?: string | undefined } = { agent };
  const memory: PanelMemory = {
    get: () => kept.session,
    set: (session) => {
      kept.session = session;
    },
    getAgent: () => kept.agent,
    setAgent: (id) => {
      kept.agent = id;
    },
  };
  return { kept, memory };
}

describe('a panel with several agents', () => {
  test('does not give the title of a session to one of another agent with the same id', async () => {
    const { panel } = await choosingPanel({
      script: (agent, start) => {
        agent.on('session/prompt', { stopReason: 'end_turn' });
        if (start === 2) agent.on('session/list', { sessions: [{ sessionId: 's1', cwd }] });
      },
    });
    await panel.chooseAgent('one');
    await panel.prompt('What did one say?');
    await panel.chooseAgent('two');
    expect(panel.getSnapshot().sessions).toEqual([{ sessionId: 's1', cwd, title: null }]);
  });

  test('starts none until the user chooses one', async () => {
    const { panel, started, chosen } = await choosingPanel();
    expect(panel.getSnapshot()).toMatchObject({ phase: 'closed', problem: null, conversation: null });
    expect(panel.getSnapshot().agents[0]).toEqual({
      id: 'one',
      name: 'ONE',
      description: null,
      isInstalled: null,
      installedVersion: null,
      testedVersion: null,
      installCommand: null,
      note: null,
      login: 'unknown',
      isChosen: false,
    });
    expect(started).toEqual([]);
    await expect(panel.prompt('Hi')).rejects.toMatchObject({ code: 'panel.agent' });
    expect(panel.getSnapshot().draft).toBe('Hi');
    await panel.chooseAgent('two');
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', problem: null });
    expect(started).toEqual(['two']);
    expect(chosen()).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  test('can be chosen also if the memory keeps sessions only', async () => {
    const { panel, started, problems } = await choosingPanel({
      memory: { get: () => undefined, set() {} },
    });
    await panel.chooseAgent('two');
    expect([started, panel.getSnapshot().phase]).toEqual([['two'], 'open']);
    expect(problems).toEqual([]);
  });

  test('starts the one of the memory at once, and another one when the user chooses it', async () => {
    const { kept, memory } = memoryWith('two');
    const { panel, started } = await choosingPanel({ memory });
    await panel.newSession();
    expect(kept.session).toEqual({ sessionId: 's1', cwd });
    await panel.chooseAgent('one');
    expect(started).toEqual(['two', 'one']);
    // The other agent does not have the session.
    expect(kept).toEqual({ session: undefined, agent: 'one' });
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', sessionId: null, conversation: null });
    expect(panel.getSnapshot().sessions).toEqual([]);
  });

  test('ends the agent when none is chosen, and forgets it', async () => {
    const { kept, memory } = memoryWith('one');
    const { panel, served, scripted } = await choosingPanel({ memory });
    await panel.newSession();
    await served.chooseAgent(null);
    await until(panel, ({ phase, conversation }) => phase === 'closed' && conversation === null);
    expect(panel.getSnapshot().problem).toBe(null);
    expect(kept).toEqual({ session: undefined, agent: undefined });
    expect(scripted).toHaveLength(1);
    expect(served.connection).toBeUndefined();
  });

  test('keeps the session when the chosen agent is started again', async () => {
    const { memory } = memoryWith('one');
    const { panel, started } = await choosingPanel({
      memory,
      answers: { 'session/resume': {}, 'session/load': {} },
    });
    await panel.newSession();
    await panel.chooseAgent('one');
    expect(started).toEqual(['one', 'one']);
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', sessionId: 's1' });
  });

  test('reads a list that is a function for each start, and leaves an agent that is not in it any more', async () => {
    let isShort = false;
    const { panel, served, started } = await choosingPanel({
      change: (agents) => async () => (isShort ? agents.slice(1) : agents),
    });
    await panel.chooseAgent('one');
    await panel.newSession();
    isShort = true;
    await served.restart();
    await until(panel, ({ phase, agents }) => phase === 'open' && agents.length === 1);
    expect(started).toEqual(['one', 'two']);
    expect(panel.getSnapshot().sessionId).toBe(null);
  });

  test('refuses an agent that is not listed, and changes nothing', async () => {
    const { panel, started, problems } = await choosingPanel();
    await panel.chooseAgent('one');
    await expect(panel.chooseAgent('three')).rejects.toMatchObject({ code: 'panel.refused' });
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', problem: { code: 'panel.refused' } });
    expect(started).toEqual(['one']);
    expect(problems.map(({ code }) => code)).toEqual(['panel.refused']);
  });

  test('says why its list cannot be read', async () => {
    const { panel } = await choosingPanel({
      change: () => () => {
        throw new Error('The list is away.');
      },
    });
    await until(panel, ({ problem }) => problem !== null);
    expect(panel.getSnapshot()).toMatchObject({
      phase: 'closed',
      agents: [],
      problem: { message: 'The list is away.', remedy: 'restart' },
    });
  });

  test('shows no text of an agent that has control characters, or is no text', async () => {
    const { panel } = await choosingPanel({
      // In JavaScript it can be anything.
      change: ([one]) => [{ ...one, name: 'O\u202ene\u0007', description: 5, note: null } as never, one2],
    });
    expect(panel.getSnapshot().agents[0]).toMatchObject({ name: 'O\ufffdne', description: null, note: null });
  });
});

const one2: PanelAgent = {
  id: 'other',
  name: 'Other',
  start: () => {
    throw new Error('It was started.');
  },
};

describe('the look-up of agents', () => {
  test('starts when a page asks for it, two at a time, and not for what is not installed', async () => {
    const asked: string[] = [];
    const settle: ((status: PanelAgentStatus) => void)[] = [];
    const agentOf = (id: string, isInstalled?: boolean): PanelAgent => ({
      id,
      name: id,
      isInstalled,
      start: one2.start,
      probe(signal) {
        expect(signal.aborted).toBe(false);
        asked.push(id);
        return new Promise((resolve) => settle.push(resolve));
      },
    });
    const { panel } = await choosingPanel({
      change: () => [agentOf('a'), agentOf('b', false), agentOf('c', true), agentOf('d', true)],
    });
    expect(asked).toEqual([]);
    const refreshed = panel.refreshAgents();
    const again = panel.refreshAgents();
    await expect.poll(() => asked).toEqual(['a', 'c']);
    settle[0]?.({ isInstalled: true, login: 'needed', version: '1.2.3' });
    await until(panel, ({ agents }) => agents[0]?.login === 'needed');
    await expect.poll(() => asked).toEqual(['a', 'c', 'd']);
    settle[1]?.({ isInstalled: false, login: 'unknown' });
    settle[2]?.({ isInstalled: true, login: 'loggedIn' });
    await Promise.all([refreshed, again]);
    const found = panel.getSnapshot().agents.map(({ isInstalled, login }) => [isInstalled, login]);
    expect(found).toEqual([
      [true, 'needed'],
      [false, 'unknown'],
      [false, 'unknown'],
      [true, 'loggedIn'],
    ]);
    expect(panel.getSnapshot().agents[0]?.installedVersion).toBe('1.2.3');
    expect(asked).toHaveLength(3);
  });

  test('ends after twenty seconds, and begins again for a page that asks then', async () => {
    let probes = 0;
    const hangs: PanelAgent = {
      ...one2,
      probe: () => {
        probes++;
        return new Promise(() => {});
      },
    };
    const { served, panel, problems } = await choosingPanel({ change: () => [hangs] });
    problems.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const count of [1, 2]) {
      const refreshed = panel.refreshAgents();
      while (probes < count) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(19_999);
      expect(problems).toHaveLength(count - 1);
      await vi.advanceTimersByTimeAsync(1);
      await refreshed;
    }
    const message = 'The agent other was not looked up within 20 s.';
    expect(problems).toMatchObject([{ message }, { message }]);
    expect(served.state.agents).toMatchObject([{ login: 'unknown' }]);
  });

  test('ends when the user chooses an agent, and when one fails, the others go on', async () => {
    const signals: AbortSignal[] = [];
    const hangs: PanelAgent = {
      ...one2,
      id: 'hangs',
      probe: (signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    };
    const fails: PanelAgent = { ...one2, id: 'fails', probe: async () => Promise.reject(new Error('No.')) };
    const works: PanelAgent = {
      ...one2,
      id: 'works',
      probe: async () => ({ isInstalled: true, login: 'loggedIn' }),
    };
    const { panel, problems } = await choosingPanel({
      change: ([one]) => (one ? [hangs, fails, works, one] : []),
    });
    const refreshed = panel.refreshAgents();
    await until(panel, ({ agents }) => agents[2]?.login === 'loggedIn');
    expect(problems.map(({ message }) => message)).toEqual(['No.']);
    expect(panel.getSnapshot().problem).toBe(null);
    await panel.chooseAgent('one');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await refreshed;
    expect(problems).toHaveLength(1);
  });

  test('begins again for a page that asks after the user went back to the list', async () => {
    const gates: (() => void)[] = [];
    let isSlow = false;
    let probes = 0;
    const probe = async (): Promise<PanelAgentStatus> => {
      probes++;
      return { isInstalled: true, login: 'loggedIn' };
    };
    const { panel } = await choosingPanel({
      change: (agents) => async () => {
        if (isSlow) await new Promise<void>((resolve) => gates.push(resolve));
        return agents.map((agent) => ({ ...agent, probe }));
      },
    });
    await until(panel, ({ agents }) => agents.length === 2);
    isSlow = true;
    const first = panel.refreshAgents();
    await expect.poll(() => gates.length).toBe(1);
    isSlow = false;
    await panel.chooseAgent('one');
    await panel.chooseAgent(null);
    isSlow = true;
    const second = panel.refreshAgents();
    await expect.poll(() => gates.length).toBe(2);
    gates[0]?.();
    await first;
    // The end of the first one is not the end of the second one.
    const third = panel.refreshAgents();
    // The host performs the actions of a page in their order.
    await panel.dismissProblem();
    expect(gates).toHaveLength(2);
    gates[1]?.();
    await Promise.all([second, third]);
    expect(probes).toBe(2);
  });
});

describe('the option agents', () => {
  const { options } = hostOptions({});
  const { agent: _, ...rest } = options;

  test.each([
    [{}, /pass agent or agents, and not neither/],
    [{ agent: one2.start, agents: [one2] }, /pass agent or agents, and not both/],
    [{ agents: [one2, one2] }, /two agents with the same id/],
    [{ agents: [{ ...one2, id: '' }] }, /agents\[0\]\.id is empty|id is empty/],
    [{ agents: [{ ...one2, start: 'node' }] }, /start must be a function/],
  ])('is checked: %j', (part, message) => {
    // In JavaScript it can be anything.
    expect(() => servePanel({ ...rest, ...part } as never)).toThrow(message);
  });

  test('can be a function that never settles: another start and the end do not wait for it', async () => {
    let calls = 0;
    const listing = () => (++calls === 2 ? [] : new Promise<never>(() => {}));
    const panel = servePanel({ ...rest, agents: listing });
    await expect.poll(() => calls).toBe(1);
    await panel.restart();
    expect(panel.state).toMatchObject({ phase: 'closed', problem: null });
    void panel.restart();
    await expect.poll(() => calls).toBe(3);
    await panel.close();
  });
});
