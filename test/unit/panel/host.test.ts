import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectPanel } from '../../../src/ui/panel/connect.ts';
import { servePanel } from '../../../src/ui/panel/serve.ts';
import type { PanelState } from '../../../src/ui/panel/state.ts';
import { settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import {
  askPermission,
  channelPair,
  cwd,
  elicit,
  hostOptions,
  panelPair,
  until,
} from '../../support/panel-pair.ts';
import { target } from '../../support/panel-target.ts';

describe('the host', () => {
  const sessions = ['a', 'b'].map((sessionId) => ({ sessionId, cwd }));

  test.each([
    [{ agent: 'x' }, /agent must be a function/],
    [{ agents: 'x' }, /agents must be a list of agents, or a function that returns one; got a string/],
    [{ connect: null }, /connect must be the options of connect, or a function that returns them; got null/],
    [
      { connect: 'x' },
      /connect must be the options of connect, or a function that returns them; got a string/,
    ],
    [{ workspace: { cwd } }, /workspace must be a function/],
    [{ sessions: 'some' }, /workspace, all/],
    [{ limits: { pages: 0 } }, /limits.pages/],
    [{ command: 'sh' }, /not an option/],
  ])('refuses wrong options: %j', (wrong, message) => {
    // In JavaScript an option can be anything.
    expect(() => servePanel({ ...hostOptions({}).options, ...wrong } as never)).toThrow(message);
  });

  test('refuses a channel that is none', () => {
    // In JavaScript it can be anything.
    expect(() => servePanel(hostOptions({}).options, null as never)).toThrow(/servePanel: /);
  });

  test('tells its program of each change once, and of the errors of its listener', async () => {
    const { served, panel, problems } = await panelPair();
    const states: PanelState[] = [];
    served.subscribe(() => {
      states.push(served.state);
      if (states.length === 1) throw new Error('It is the program that fails.');
    });
    await panel.newSession();
    panel.setDraft('later');
    await eventually(() => states.at(-1)?.draft).toBe('later');
    expect(new Set(states).size).toBe(states.length);
    expect(problems.map(({ message }) => message)).toEqual(['It is the program that fails.']);
    expect(served.connection?.state).toBe('open');
    await served[Symbol.asyncDispose]();
    expect(served.state.phase).toBe('closed');
  });

  test('keeps the parts of the state that are equal', async () => {
    const { panel, agent } = await panelPair({ answers: { 'session/list': { sessions } } });
    await panel.newSession();
    const before = panel.getSnapshot();
    agent().update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Hi') });
    const after = await until(panel, ({ conversation }) => conversation?.entries.length === 1);
    await panel.refreshSessions();
    expect(panel.getSnapshot()).toBe(after);
    const { conversation: _, ...rest } = after;
    for (const [key, value] of Object.entries(rest)) expect(value, key).toBe(Reflect.get(before, key));
    agent().on('session/list', { sessions: [{ sessionId: 'new', cwd }, ...sessions] });
    await panel.refreshSessions();
    expect(panel.getSnapshot().sessions.slice(-2)).toEqual(before.sessions.slice(-2));
    for (const index of [-1, -2])
      expect(panel.getSnapshot().sessions.at(index)).toBe(before.sessions.at(index));
  });

  test('shows what an agent has listed whose pages have no end, and says so', async () => {
    let pages = 0;
    const { panel } = await panelPair({
      answers: {
        'session/list': () => ({
          sessions: [{ sessionId: 'a', cwd }],
          nextCursor: `c${pages++}`,
        }),
      },
    });
    await expect(panel.refreshSessions()).rejects.toMatchObject({ code: 'protocol.message' });
    const { sessions, problem } = panel.getSnapshot();
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['a']);
    expect(problem?.message).toContain('50 pages in a row without a session that is new');
  });

  test('does not list a session again that was deleted while the agent listed it', async () => {
    const { panel, agent } = await panelPair({
      answers: { 'session/list': { sessions }, 'session/delete': {} },
    });
    const [asked, held] = [deferred(), deferred()];
    agent().on('session/list', async () => {
      asked.resolve();
      await held.promise;
      return { sessions };
    });
    const refreshed = panel.refreshSessions();
    await asked.promise;
    const deleted = panel.deleteSession('a');
    await agent().called('session/delete');
    await settle();
    held.resolve();
    await Promise.all([refreshed, deleted]);
    expect(panel.getSnapshot().sessions.map(({ sessionId }) => sessionId)).toEqual(['b']);
  });

  test('sends no draft back, and with it nothing is forgotten that happened before', async () => {
    const { served, page, agent } = await target();
    // With its result comes what the page does not have.
    await page.call('dismissProblem');
    page.draft('known');
    await page.call('dismissProblem');
    const isChange = ({ type }: JsonObject) => type === 'change';
    expect(page.received.findLast(isChange)).toMatchObject({ state: null, conversation: null });
    void askPermission(agent, 'Run');
    while (served.state.questions.length < 3) await new Promise(setImmediate);
    // Mostly before the end of the frame.
    page.draft('early');
    await page.call('dismissProblem');
    expect(page.state()['questions']).toHaveLength(3);
  });

  test('closes completely', async () => {
    const { options, agents, problems } = hostOptions({ answers: { 'session/prompt': noAnswer } });
    const channel = channelPair();
    const lost = deferred();
    const post = (message: unknown) => {
      channel.host.post(message);
      return lost.promise;
    };
    const served = servePanel(options, { ...channel.host, post });
    const panel = connectPanel(channel.page);
    onTestFinished(() => panel.close());
    const turn = panel.prompt('work');
    turn.catch(() => {});
    const [agent] = agents.length > 0 ? agents : await served.started.then(() => agents);
    await agent?.called('session/prompt');
    const asked = agent && elicit(agent, { requestedSchema: {} });
    await until(panel, ({ questions }) => questions.length === 1);
    const { session } = served;
    await served.close();
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    expect((await asked)?.result).toEqual({ action: 'cancel' });
    expect(session?.isClosed).toBe(true);
    expect(served.state).toMatchObject({ phase: 'closed', questions: [] });
    expect(channel.listeners()).toBe(1);
    const { length } = channel.fromHost;
    lost.reject(new Error('the webview is gone'));
    await settle();
    expect(problems).toEqual([]);
    expect(channel.fromHost).toHaveLength(length);
    panel.close();
    expect(channel.listeners()).toBe(0);
  });

  test('ends an agent that is being started when it is closed', async () => {
    let closed = 0;
    const { options, agents, start } = hostOptions({});
    const served = servePanel({
      ...options,
      agent: async () => {
        const transport = start();
        const close = transport.close?.bind(transport);
        agents[0]?.on('initialize', () => noAnswer);
        return Object.assign(transport, {
          close: async () => {
            closed++;
            await close?.();
          },
        });
      },
    });
    await settle();
    await served.close();
    await served.started;
    expect(closed).toBeGreaterThan(0);
    expect(served.connection).toBeUndefined();
    expect(served.state.phase).toBe('closed');
  });
});
