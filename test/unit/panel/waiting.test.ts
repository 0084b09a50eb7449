import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import type { RememberedSession } from '../../../src/ui/panel/options.ts';
import { servePanel } from '../../../src/ui/panel/serve.ts';
import { refuses, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, hostOptions, panelPair, startingPanel, until } from '../../support/panel-pair.ts';

const refuse = refuses(-32603, 'Not now.');

describe('an action', () => {
  test('waits for the agent that is being started, and for one that is started instead', async () => {
    const held = [deferred(), deferred()];
    let starts = 0;
    const { served, panel, agents } = startingPanel({}, (start) => async () => {
      await held[starts++]?.promise;
      return start?.() as never;
    });
    await until(panel, ({ phase }) => phase === 'starting');
    const created = panel.newSession();
    await settle();
    const restarted = served.restart();
    held[1]?.resolve();
    await restarted;
    await created;
    expect([starts, agents.length, panel.getSnapshot().sessionId]).toEqual([2, 1, 's1']);
  });

  test('does not wait for the lists of the sessions', async () => {
    const { panel } = startingPanel({ script: (agent) => agent.on('session/list', () => noAnswer) });
    await panel.newSession();
    expect(panel.getSnapshot().sessionId).toBe('s1');
  });

  test('shares the session that another one creates', async () => {
    const { panel, agent } = await panelPair({ answers: { 'session/prompt': { stopReason: 'end_turn' } } });
    await Promise.all([panel.prompt('One.'), panel.queue('Two.')]);
    expect(agent().calls('session/new')).toHaveLength(1);
    expect(
      agent()
        .calls('session/prompt')
        .map(({ params }) => params?.['sessionId']),
    ).toEqual(['s1', 's1']);
  });

  /** A panel that shows `s1`, and an agent that opens other sessions when the test lets it. */
  async function slowOpening() {
    const held = { a: deferred(), b: deferred() };
    const remembered: unknown[] = [];
    const pair = await panelPair({
      options: { memory: { get: () => undefined, set: (session) => void remembered.push(session) } },
      answers: {
        'session/list': { sessions: Object.keys(held).map((sessionId) => ({ sessionId, cwd })) },
        'session/prompt': { stopReason: 'end_turn' },
        'session/load': async ({ sessionId }) => {
          await held[sessionId as keyof typeof held].promise;
          return {};
        },
      },
    });
    await pair.panel.newSession();
    const prompts = () =>
      pair
        .agent()
        .calls('session/prompt')
        .map(({ params }) => params?.['sessionId']);
    return { ...pair, held, remembered, prompts };
  }

  test('goes to the session of before when the opening fails for which it waited', async () => {
    const { panel, agent, held, remembered, prompts } = await slowOpening();
    const opened = panel.openSession('a');
    await agent().called('session/load');
    const turn = panel.prompt('Hi');
    await settle();
    held.a.reject(new RequestError(-32603, 'It is gone.'));
    await expect(opened).rejects.toThrow('It is gone.');
    await turn;
    expect(prompts()).toEqual(['s1']);
    expect(agent().calls('session/new')).toHaveLength(1);
    agent().on('session/new', refuse);
    await expect(panel.newSession()).rejects.toThrow('Not now.');
    await panel.prompt('And now?');
    expect(prompts()).toEqual(['s1', 's1']);
    // The next start shows it again.
    expect(remembered).toEqual([{ sessionId: 's1', cwd }]);
  });

  test('waits for the opening that replaced another one', async () => {
    const { panel, agent, held, prompts } = await slowOpening();
    const first = panel.openSession('a');
    await agent().called('session/load');
    const second = panel.openSession('b');
    await expect(first).rejects.toMatchObject({ code: 'panel.superseded' });
    const turn = panel.prompt('Hi');
    await settle();
    held.b.resolve();
    await Promise.all([second, turn]);
    expect(prompts()).toEqual(['b']);
  });
});

describe('a start', () => {
  test('shows that the session of the memory will be loaded, before the agent runs', async () => {
    const memory = { get: () => ({ sessionId: 'kept', cwd }), set() {} };
    const { panel } = startingPanel({ options: { memory } }, () => () => new Promise<never>(() => {}));
    const state = await until(panel, ({ loading }) => loading !== null);
    expect(state).toMatchObject({ phase: 'starting', loading: { updates: 0 } });
  });

  test('goes on if the memory fails, and its errors are reported', async () => {
    const fail = (message: string) => (_?: RememberedSession) => {
      throw new Error(message);
    };
    const memory = { get: fail('It cannot be read.'), set: fail('It cannot be written.') };
    const { panel, problems } = await panelPair({ options: { memory } });
    await panel.newSession();
    const messages = new Set(problems.map(({ message }) => message));
    expect([...messages]).toEqual(['It cannot be read.', 'It cannot be written.']);
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', problem: null });
  });

  test('leaves no listener at the signal of the editor', async () => {
    const { signal } = new AbortController();
    const connect = { clientInfo: { name: 'test', version: '0' }, onDiagnostic() {}, signal };
    const { panel } = await panelPair({ options: { connect } });
    await panel.restart();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('reads the list of agents once when another one follows at once', async () => {
    let lists = 0;
    const { options, start } = hostOptions({});
    const { agent: _, ...rest } = options;
    const agents = () => {
      lists++;
      return [{ id: 'one', name: 'One', start }];
    };
    const served = servePanel({ ...rest, agents });
    onTestFinished(() => served.close());
    await served.started;
    await Promise.all([served.restart(), served.restart()]);
    expect([lists, served.state.phase]).toEqual([2, 'open']);
  });
});

describe('the end of an agent', () => {
  test('is reported once for each run, and the last one says what to do', async () => {
    const { panel, agents, problems } = await panelPair({
      options: {
        connect: {
          clientInfo: { name: 'test', version: '0' },
          onDiagnostic() {},
          reconnect: { firstDelayMs: 1, maxAttempts: 1 },
        },
      },
      script: (agent, start) => {
        agent.on('session/resume', {});
        if (start === 3) agent.on('initialize', refuse);
      },
    });
    await panel.newSession();
    agents[0]?.channel.exit({ exitCode: 1 });
    await until(panel, ({ phase, problem }) => phase === 'open' && problem !== null);
    agents[1]?.channel.exit({ exitCode: 1 });
    await eventually(() => panel.getSnapshot().phase).toBe('closed');
    expect(problems.map(({ code, remedy }) => [code, remedy])).toEqual([
      ['agent.exit', null],
      ['agent.exit', null],
      ['agent.exit', 'restart'],
    ]);
    await expect(panel.newSession()).rejects.toMatchObject({
      message: 'The agent is not running. Start it again.',
      remedy: 'restart',
    });
  });
});
