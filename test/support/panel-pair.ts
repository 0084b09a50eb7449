import { onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import { deferred } from '../../src/core/base/wait.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import type { Transport } from '../../src/core/transport/transport.ts';
import { type ScriptedAgent, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { PanelChannel } from '../../src/ui/panel/channel.ts';
import { connectPanel, type Panel } from '../../src/ui/panel/connect.ts';
import type { PanelOptions } from '../../src/ui/panel/options.ts';
import { type ServedPanel, servePanel } from '../../src/ui/panel/serve.ts';
import type { PanelProblem } from '../../src/ui/panel/state.ts';
import { type AgentScript, everything, follow } from './agents.ts';
import { until } from './eventually.ts';

export { until };

/** The workspace of the panels in tests. It is not there: no test reads it. */
export const cwd = '/home/user/project';

/** The settings of a session, as an agent sends them. */
export const configOptions = [
  {
    id: 'model',
    name: 'Model',
    type: 'select',
    currentValue: 'small',
    options: [
      { value: 'small', name: 'Small' },
      { value: 'large', name: 'Large' },
    ],
  },
];

/** Asks for a permission, for a tool call whose id is its title. The option is `yes`. */
export function askPermission(agent: ScriptedAgent, title: string, sessionId = 's1') {
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const toolCall = { toolCallId: title, title };
  return agent.request('session/request_permission', { sessionId, toolCall, options });
}

/** Asks the user to fill in a form, or with another mode something else. */
export function elicit(agent: ScriptedAgent, params: JsonObject) {
  return agent.request('elicitation/create', { sessionId: 's1', mode: 'form', message: 'Who?', ...params });
}

/** The two ends of a channel in memory. What is posted is copied, as `postMessage` does, and arrives later. */
export interface ChannelPair {
  readonly host: PanelChannel;
  readonly page: PanelChannel;
  /** What the host posted, and what the page posted. */
  readonly fromHost: Record<string, unknown>[];
  readonly fromPage: Record<string, unknown>[];
  /** How many listeners the two ends have. */
  readonly listeners: () => number;
}

export function channelPair(): ChannelPair {
  const ends = { host: new Set<(message: unknown) => void>(), page: new Set<(message: unknown) => void>() };
  const fromHost: Record<string, unknown>[] = [];
  const fromPage: Record<string, unknown>[] = [];
  const endOf = (own: keyof typeof ends, other: keyof typeof ends, posted: Record<string, unknown>[]) => ({
    post(message: unknown) {
      const copy = structuredClone(message) as Record<string, unknown>;
      posted.push(copy);
      setImmediate(() => {
        for (const listener of ends[other]) listener(copy);
      });
    },
    listen(listener: (message: unknown) => void) {
      const entry = (message: unknown) => listener(message);
      ends[own].add(entry);
      return () => void ends[own].delete(entry);
    },
  });
  return {
    host: endOf('host', 'page', fromHost),
    page: endOf('page', 'host', fromPage),
    fromHost,
    fromPage,
    listeners: () => ends.host.size + ends.page.size,
  };
}

export interface PanelSetup {
  readonly dialect?: DialectName;
  /** What the agent answers `initialize` with. Default: everything that the dialect knows is advertised. */
  readonly initialize?: JsonObject;
  /** The answers of each agent, by their methods, and what else it does. */
  readonly answers?: AgentScript['answers'];
  readonly script?: (agent: ScriptedAgent, start: number) => unknown;
  readonly options?: Partial<PanelOptions>;
}

export interface PanelPair {
  readonly served: ServedPanel;
  readonly panel: Panel;
  readonly channel: ChannelPair;
  /** The agents that were started, the newest last. */
  readonly agents: ScriptedAgent[];
  /** The agent that was started last. */
  readonly agent: () => ScriptedAgent;
  readonly problems: PanelProblem[];
  readonly errors: unknown[];
}

/** Options of a host whose agents follow a script: session `s1`, `s2`, … and an empty list. */
export function hostOptions(setup: PanelSetup): {
  readonly options: PanelOptions;
  /** Starts one more agent. */
  readonly start: () => Transport;
  readonly agents: ScriptedAgent[];
  readonly problems: PanelProblem[];
} {
  const { dialect = 'v1', initialize = everything[dialect], answers = {}, script } = setup;
  const agents: ScriptedAgent[] = [];
  const problems: PanelProblem[] = [];
  const start = (): Transport => {
    const agent = scriptedAgent().on('initialize', initialize);
    let sessions = 0;
    agent.on('session/new', () => ({ sessionId: `s${++sessions}` }));
    agent.on('session/list', { sessions: [] });
    agents.push(agent);
    follow(agent, { answers });
    script?.(agent, agents.length);
    return agent.transport;
  };
  const options: PanelOptions = {
    ...(setup.options?.agents === undefined && { agent: start }),
    connect: { clientInfo: { name: 'test', version: '0.0.0' }, onDiagnostic: () => {} },
    workspace: () => ({ cwd }),
    onProblem: (found) => problems.push(found),
    ...setup.options,
  };
  return { options, start, agents, problems };
}

/** A host that has started its scripted agent. Closed when the test is over. */
export async function startedHost(setup: PanelSetup = {}, channel?: PanelChannel) {
  const made = hostOptions(setup);
  const served = servePanel(made.options, channel);
  onTestFinished(() => served.close());
  await served.started;
  return { ...made, served };
}

/** A page that opens its channel to a host again. Without a host, each channel ends at once. */
export function pageThatOpens(hostOf: () => ServedPanel | undefined) {
  let end = () => {};
  let opened = 0;
  const panel = connectPanel(() => {
    opened++;
    const { host, page } = channelPair();
    const { promise: ended, resolve } = deferred();
    end = resolve;
    const current = hostOf();
    if (current) current.attach({ ...host, ended });
    else resolve();
    return { ...page, ended };
  });
  onTestFinished(() => panel.close());
  return { panel, end: () => end(), opened: () => opened };
}

/** A panel whose start has only begun. */
export function startingPanel(
  setup: PanelSetup,
  startsWith?: (start: PanelOptions['agent']) => PanelOptions['agent'],
) {
  const { options, start, agents } = hostOptions(setup);
  const { host, page } = channelPair();
  const served = servePanel({ ...options, ...(startsWith && { agent: startsWith(start) }) }, host);
  const panel = connectPanel(page);
  onTestFinished(async () => {
    panel.close();
    await served.close();
  });
  return { served, panel, agents };
}

/** A host with a scripted agent, and a page, over a channel in memory. Closed when the test is over. */
export async function panelPair(setup: PanelSetup = {}): Promise<PanelPair> {
  const { options, agents, problems } = hostOptions(setup);
  const channel = channelPair();
  const errors: unknown[] = [];
  const served = servePanel(options, channel.host);
  const panel = connectPanel(channel.page, { onError: (error) => errors.push(error) });
  onTestFinished(async () => {
    panel.close();
    await served.close();
  });
  await served.started;
  const { phase, sessions, loading } = served.state;
  await until(
    panel,
    (state) =>
      state.phase === phase && state.sessions.length === sessions.length && state.loading === loading,
  );
  const agent = () => {
    const last = agents.at(-1);
    if (!last) throw new Error('no agent was started');
    return last;
  };
  return { served, panel, channel, agents, agent, problems, errors };
}

/**
 * From now on, until the end of the test, time passes as fast as what happens in it. It is for what goes on in memory: of
 * sockets and programs the time knows nothing.
 */
export function hurryTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    vi.useRealTimers();
  });
  const pass = async () => {
    while (!isOver) {
      vi.advanceTimersByTime(10);
      for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
    }
  };
  void pass();
}
