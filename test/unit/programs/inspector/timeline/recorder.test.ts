import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../../../src/agents/connect.ts';
import { isJsonObject } from '../../../../../src/core/base/json.ts';
import type { ClientConnection } from '../../../../../src/core/client/connection.ts';
import { applyPatch } from '../../../../../src/core/conversation/patch.ts';
import type { Conversation } from '../../../../../src/core/model/conversation.ts';
import { startLiveAgent } from '../../../../../src/programs/inspector/live.ts';
import { connectionItem } from '../../../../../src/programs/inspector/timeline/connection-item.ts';
import { GrowingTimeline } from '../../../../../src/programs/inspector/timeline/growing.ts';
import type {
  ConversationChange,
  TimelineItem,
} from '../../../../../src/programs/inspector/timeline/items.ts';
import { TimelineRecorder } from '../../../../../src/programs/inspector/timeline/recorder.ts';
import { scriptedAgent } from '../../../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../../../support/agents.ts';
import { eventually } from '../../../../support/eventually.ts';
import { cwd } from '../../../../support/open-session.ts';

const secret = 'a-secret-of-the-user-4711';
const text = (text: string) => ({ content: { type: 'text', text } });

/** What an agent answers to `initialize` that lists no sessions. The client then asks it nothing. */
const silent = {
  v1: { agentCapabilities: {} },
  'v2-markers': { capabilities: { session: { load: {} } } },
  'v2-baseline': { capabilities: {} },
} as const;

/** An item with all that it changed. */
type Complete = TimelineItem & { readonly changes: readonly ConversationChange[] };

/** The items of a timeline with what they changed, as a page that reads the lines has them. */
function itemsOf({ lines }: GrowingTimeline): readonly Complete[] {
  const items: (TimelineItem & { changes: ConversationChange[] })[] = [];
  for (const line of lines) {
    if ('item' in line) items.push({ ...line.item, changes: [...(line.item.changes ?? [])] });
    else items[line.index]?.changes.push(...line.changes);
  }
  return items;
}

function conversationsAfter(items: readonly Complete[]): readonly Conversation[] {
  const conversations: Conversation[] = [];
  for (const { conversation, patch } of items.flatMap(({ changes }) => changes)) {
    conversations[conversation] = applyPatch(conversations[conversation], patch);
  }
  return conversations;
}

/** The message items, by what they are: a method, or the kind of an update. */
function named(items: readonly Complete[], name: string): readonly Complete[] {
  return items.filter((item) => {
    if (item.type !== 'message' || !isJsonObject(item.msg)) return false;
    const { method, params } = item.msg;
    const update = isJsonObject(params) ? params['update'] : undefined;
    return method === name || (isJsonObject(update) && update['sessionUpdate'] === name);
  });
}

/** A connection to a scripted agent, which answers each prompt with a thought and a tool call, and its timeline. */
async function record(dialect: keyof typeof everything) {
  const timeline = new GrowingTimeline('agent', [], 'live');
  let connection: ClientConnection | undefined;
  const recorder = new TimelineRecorder(timeline, () => connection, [secret]);
  const agents = [0, 1].map((run) => {
    const info = { name: `agent ${run}`, version: '1' };
    const agent = scriptedAgent()
      .on('initialize', {
        ...everything[dialect],
        agentInfo: info,
        ...(dialect !== 'v1' && { info }),
      })
      .on('session/new', { sessionId: 's1' });
    return agent.on('session/prompt', () => {
      agent.update('s1', { sessionUpdate: 'agent_thought_chunk', messageId: 'm1', ...text('Hm.') });
      agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: `Read ${secret}` });
      if (dialect !== 'v1') agent.update('s1', { sessionUpdate: 'state_update', state: 'idle' });
      return dialect === 'v1' ? { stopReason: 'end_turn' } : {};
    });
  });
  let started = 0;
  connection = await connect(() => agents[started++]?.transport ?? Promise.reject(new Error('No agent.')), {
    clientInfo: { name: 'recorder', version: '0' },
    trace: recorder.trace,
    onDiagnostic: (diagnostic) => recorder.diagnostic(diagnostic),
    reconnect: { maxAttempts: 2, firstDelayMs: 0, maxDelayMs: 0 },
  });
  onTestFinished(() => connection?.close());
  return { timeline, recorder, agents, connection };
}

describe.each(dialectNames)('the timeline of a live agent that speaks %s', (dialect) => {
  test('has the conversation of the session, and gives each change to the message that made it', async () => {
    const { timeline, connection } = await record(dialect);
    const session = await connection.newSession({ cwd });
    await session.prompt('hello');
    await eventually(() => conversationsAfter(itemsOf(timeline))[0]?.activity).toEqual({
      state: 'idle',
      stopReason: session.conversation.activity.stopReason,
    });
    const items = itemsOf(timeline);
    expect(conversationsAfter(items)[0]).toEqual(
      JSON.parse(JSON.stringify(session.conversation).replaceAll(secret, '[redacted]')),
    );
    const kinds = session.conversation.entries.map(({ key }) => key);
    const changedBy = (name: string) =>
      named(items, name).flatMap(({ changes }) => changes.flatMap(({ entries }) => entries));
    expect(changedBy('session/prompt')).toContain(kinds[0]);
    expect(changedBy('agent_thought_chunk')).toEqual([kinds[1]]);
    expect(changedBy('tool_call_update')).toEqual([kinds[2]]);
  });

  test('describes the connection when it is open, also if the agent then says nothing', async () => {
    const agent = scriptedAgent().on('initialize', { ...everything[dialect], ...silent[dialect] });
    const { timeline, panel } = startLiveAgent({
      title: 'agent',
      agent: { command: 'agent' },
      open: async () => agent.transport,
      connect: { clientInfo: { name: 'recorder', version: '0' } },
      workspace: { cwd },
    });
    onTestFinished(() => panel.close());
    await eventually(() => itemsOf(timeline).some(({ type }) => type === 'connection')).toBe(true);
    const items = itemsOf(timeline);
    const [found] = items.filter((item) => item.type === 'connection');
    expect(found).toMatchObject({ dialect, agent: { name: 'scripted' } });
    const cause = items[found?.cause ?? -1];
    expect(cause?.type === 'message' && isJsonObject(cause.msg) && cause.msg['result']).toMatchObject({
      protocolVersion: everything[dialect]['protocolVersion'],
    });
  });

  test('has another connection after the agent ended, and the conversation of the session goes on', async () => {
    const { timeline, connection, agents } = await record(dialect);
    for (const agent of agents) agent.on('session/resume', {});
    const session = await connection.newSession({ cwd });
    await session.prompt('hello');
    agents[0]?.channel.exit();
    await eventually(() => itemsOf(timeline).filter(({ type }) => type === 'connection').length).toBe(2);
    await eventually(() => connection.state).toBe('open');
    await session.prompt('again');
    const entries = session.conversation.entries.length;
    await eventually(() => conversationsAfter(itemsOf(timeline)).at(-1)?.entries.length).toBe(entries);
    expect(itemsOf(timeline).filter(({ type }) => type === 'connection')).toMatchObject([
      { agent: { name: 'agent 0' } },
      { agent: { name: 'agent 1' } },
    ]);
  });
});

test.each([
  [1, {}, [1], 'The client offered version 1. The agent answered version 1.'],
  [
    2,
    { clientCapabilities: {} },
    [2, 1],
    'The client offered versions 2 and 1. The agent answered version 1.',
  ],
  [2, {}, [2], 'The client offered version 2. The dialect v1 was given by hand.'],
] as const)(
  'the versions that a client offers are known: %s, %j',
  async (protocolVersion, rest, offered, how) => {
    const { connection } = await record('v1');
    expect(connectionItem(connection, { protocolVersion, ...rest })).toMatchObject({ offered, how });
  },
);

test('a dialect that was assumed or given by hand is named', async () => {
  const { connection } = await record('v2-markers');
  expect(connectionItem(connection, { protocolVersion: 2 }).how).toMatch(
    /^The client offered version 2\. The agent answered version 2\. capabilities\.session has load, /,
  );
  const agent = scriptedAgent().on('initialize', { protocolVersion: 77 });
  const given = await connect(agent.transport, {
    clientInfo: { name: 'recorder', version: '0' },
    dialect: 'v1',
    onDiagnostic() {},
  });
  onTestFinished(() => given.close());
  expect(connectionItem(given, { protocolVersion: 1 }).how).toBe(
    'The client offered version 1. The dialect v1 was given by hand.',
  );
});

test('a connection is described once, after the answer to its own request', async () => {
  const { connection } = await record('v1');
  const timeline = new GrowingTimeline('agent', [], 'live');
  const { trace } = new TimelineRecorder(timeline, () => connection);
  const write = (dir: 'in' | 'out', msg: object) => trace.write({ dir, t: 0, msg });
  write('out', { id: 5, method: 'initialize', params: { protocolVersion: 1 } });
  write('in', { id: 5, method: 'initialize', params: { protocolVersion: 2 } });
  write('in', { id: 4, result: {} });
  write('out', { id: 5, result: {} });
  write('in', { id: 5, result: {} });
  write('in', { id: 5, result: {} });
  await eventually(() => itemsOf(timeline).filter(({ type }) => type === 'connection')).toMatchObject([
    { cause: 4, offered: [1] },
  ]);
});

test('what the client sends and a recording must not have, the agent cannot repeat', async () => {
  const { timeline, recorder, connection } = await record('v1');
  const value = 'a-secret-of-a-server-4711';
  await connection.newSession({
    cwd,
    mcpServers: [{ name: 'a', command: '/a', args: [], env: [{ name: 'KEY', value }] }],
  });
  recorder.stderr(`It is ${value}.`);
  expect(JSON.stringify(timeline.lines)).toContain('It is [redacted].');
  expect(JSON.stringify(timeline.lines)).not.toContain(value);
});

test('what a message of the agent changed belongs to it, also if the client then sends something at once', async () => {
  const { timeline, agents, connection } = await record('v1');
  const session = await connection.newSession({ cwd });
  let isSent = false;
  session.store.subscribe(() => {
    if (!isSent) connection.notify('_seen', {}).catch(() => {});
    isSent = true;
  });
  agents[0]?.update('s1', { sessionUpdate: 'agent_thought_chunk', ...text('Hm.') });
  await eventually(() => named(itemsOf(timeline), '_seen')).toHaveLength(1);
  const changedBy = (name: string) => named(itemsOf(timeline), name).flatMap(({ changes }) => changes);
  await eventually(() => changedBy('agent_thought_chunk')).toHaveLength(1);
  expect(changedBy('_seen')).toEqual([]);
});

test('a diagnostic has the message that caused it', async () => {
  const { timeline, agents, connection } = await record('v1');
  await connection.newSession({ cwd });
  agents[0]?.update('unknown', { sessionUpdate: 'agent_message_chunk', ...text('?') });
  const found = () => itemsOf(timeline).find((item) => item.type === 'diagnostic');
  await eventually(() => found()?.rule).toBe('protocol.unknown_session');
  expect(JSON.stringify(itemsOf(timeline)[found()?.cause ?? -1])).toContain('"unknown"');
});

test('stderr and the process are items, without secrets and with what changed before them', async () => {
  const { timeline, recorder } = await record('v1');
  recorder.process({ state: 'starting', command: 'agent', args: [secret] });
  recorder.stderr(`The key is ${secret}.\n`);
  recorder.process({ state: 'exited', exitCode: 1, signal: null, reason: 'exited with code 1' });
  const items = itemsOf(timeline);
  expect(items.flatMap((item) => (item.type === 'stderr' ? [item.text] : []))).toEqual([
    'The key is [redacted].\n',
  ]);
  expect(items.flatMap((item) => (item.type === 'process' ? [item.state] : []))).toEqual([
    'starting',
    'exited',
  ]);
  expect(JSON.stringify(timeline.lines)).not.toContain(secret);
});

/** The number of each conversation that shows a text. */
function conversationsWith(timeline: GrowingTimeline, text: string): readonly number[] {
  const conversations = conversationsAfter(itemsOf(timeline));
  return [...conversations.keys()].filter((number) => JSON.stringify(conversations[number]).includes(text));
}

test('a session that is closed and loaded again goes on in the timeline', async () => {
  const { timeline, connection, agents } = await record('v1');
  agents[0]?.on('session/close', {}).on('session/load', {});
  const session = await connection.newSession({ cwd });
  const { sessionId } = session;
  await session.close();
  await connection.loadSession({ sessionId, cwd });
  agents[0]?.update(sessionId, { sessionUpdate: 'agent_message_chunk', ...text('After the load.') });
  await eventually(() => conversationsWith(timeline, 'After the load.')).toHaveLength(1);
});

test('the session of another connection is another conversation, also with the same id', async () => {
  const timeline = new GrowingTimeline('agent', [], 'live');
  let connection: ClientConnection | undefined;
  const recorder = new TimelineRecorder(timeline, () => connection);
  for (const run of ['first', 'second']) {
    const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId: 's1' });
    connection = await connect(agent.transport, {
      clientInfo: { name: 'test', version: '0' },
      trace: recorder.trace,
      onDiagnostic() {},
    });
    await connection.newSession({ cwd });
    agent.update('s1', { sessionUpdate: 'agent_message_chunk', ...text(`In the ${run} run.`) });
    await eventually(() => conversationsWith(timeline, `In the ${run} run.`)).toHaveLength(1);
    await connection.close();
    connection = undefined;
    recorder.stderr('It has ended.');
  }
  expect(conversationsWith(timeline, 'In the first run.')).toEqual([0]);
  expect(conversationsWith(timeline, 'In the second run.')).toEqual([1]);
});
