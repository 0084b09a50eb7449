import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../../../src/agents/connect.ts';
import { isJsonObject } from '../../../../../src/core/base/json.ts';
import type { Conversation } from '../../../../../src/core/model/conversation.ts';
import { RequestError } from '../../../../../src/core/rpc/request-error.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import type { Row } from '../../../../../src/programs/inspector/page/rows.ts';
import { GrowingTimeline } from '../../../../../src/programs/inspector/timeline/growing.ts';
import { TimelineRecorder } from '../../../../../src/programs/inspector/timeline/recorder.ts';
import { scriptedAgent } from '../../../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../../../support/agents.ts';
import { eventually } from '../../../../support/eventually.ts';
import { cwd } from '../../../../support/open-session.ts';

const secret = 'a-secret-of-the-user-4711';
const text = (text: string) => ({ content: { type: 'text', text } });

/** A timeline as the page has it. */
const loaded = ({ lines }: GrowingTimeline) => new LoadedTimeline('', lines);
const itemsOf = (timeline: GrowingTimeline) => loaded(timeline).rows.map(({ item }) => item);

function conversationsAfter(timeline: GrowingTimeline): readonly Conversation[] {
  const all = loaded(timeline);
  return all.conversations().flatMap((_, number) => all.conversationAt(number, all.length) ?? []);
}

/** The message items, by what they are: a method, or the kind of an update. */
function named(timeline: GrowingTimeline, name: string): readonly Row[] {
  return loaded(timeline).rows.filter(({ item }) => {
    if (item.type !== 'message' || !isJsonObject(item.msg)) return false;
    const { method, params } = item.msg;
    const update = isJsonObject(params) ? params['update'] : undefined;
    return method === name || (isJsonObject(update) && update['sessionUpdate'] === name);
  });
}

/** A connection to a scripted agent, which answers each prompt with a thought and a tool call, and its timeline. */
async function record(dialect: keyof typeof everything) {
  const timeline = new GrowingTimeline('agent', [], 'live');
  const recorder = new TimelineRecorder(timeline, [secret]);
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
  const start = async () => {
    const { transport } = agents[started++] ?? scriptedAgent();
    void transport.ended.then((end) => recorder.ended(end));
    return transport;
  };
  const connection = await connect(start, {
    clientInfo: { name: 'recorder', version: '0' },
    trace: recorder.trace,
    onDiagnostic: (diagnostic) => recorder.diagnostic(diagnostic),
    reconnect: { maxAttempts: 2, firstDelayMs: 0, maxDelayMs: 0 },
  });
  onTestFinished(() => connection.close());
  return { timeline, recorder, agents, connection };
}

describe.each(dialectNames)('the timeline of a live agent that speaks %s', (dialect) => {
  test('has the conversation of the session, and gives each change to the message that made it', async () => {
    const { timeline, connection } = await record(dialect);
    const session = await connection.newSession({ cwd });
    await session.prompt('hello');
    await eventually(() => conversationsAfter(timeline)[0]?.activity).toEqual({
      state: 'idle',
      stopReason: session.conversation.activity.stopReason,
    });
    expect(conversationsAfter(timeline)[0]).toEqual(
      JSON.parse(JSON.stringify(session.conversation).replaceAll(secret, '[redacted]')),
    );
    const kinds = session.conversation.entries.map(({ key }) => key);
    const changedBy = (name: string) =>
      named(timeline, name).flatMap(({ changes }) => changes.flatMap(({ entries }) => entries));
    expect(changedBy('session/prompt')).toContain(kinds[0]);
    expect(changedBy('agent_thought_chunk')).toEqual([kinds[1]]);
    expect(changedBy('tool_call_update')).toEqual([kinds[2]]);
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
    await eventually(() => conversationsAfter(timeline).map((one) => one.entries.length)).toEqual([entries]);
    const items = itemsOf(timeline);
    const connections = items.filter((item) => item.type === 'connection');
    expect(connections).toMatchObject([
      { dialect, agent: { name: 'agent 0' } },
      { dialect, agent: { name: 'agent 1' } },
    ]);
    const answers = connections.map(({ cause = -1 }) => JSON.stringify(items[cause]));
    expect(answers).toEqual([0, 1].map((run) => expect.stringContaining(`"agent ${run}"`)));
    expect(items.filter(({ type }) => type === 'process')).toMatchObject([{ state: 'exited' }]);
  });
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
  const conversations = conversationsAfter(timeline);
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

test('a new session with the id of an earlier one is another conversation', async () => {
  const { timeline, connection, agents } = await record('v1');
  await connection.newSession({ cwd });
  const say = (run: number, said: string) =>
    agents[run]?.update('s1', { sessionUpdate: 'agent_message_chunk', ...text(said) });
  say(0, 'In the first run.');
  await eventually(() => conversationsWith(timeline, 'In the first run.')).toEqual([0]);
  agents[1]?.on('session/load', () => {
    throw new RequestError(-32_002, 'There is no such session.');
  });
  agents[0]?.channel.exit();
  await eventually(() => itemsOf(timeline).filter(({ type }) => type === 'connection').length).toBe(2);
  await eventually(() => connection.state).toBe('open');
  await connection.newSession({ cwd });
  say(1, 'In the second run.');
  await eventually(() => conversationsWith(timeline, 'In the second run.')).toEqual([1]);
  expect(conversationsWith(timeline, 'In the first run.')).toEqual([0]);
});

test('what the agent says of its own end is a message, and not its end', async () => {
  const { timeline, connection, agents } = await record('v1');
  const session = await connection.newSession({ cwd });
  agents[0]?.on('session/prompt', () => {
    agents[0]?.notify('$/ended', { exitCode: 1 });
    return { stopReason: 'end_turn' };
  });
  await session.prompt('hello');
  await eventually(() => conversationsAfter(timeline)[0]?.activity.stopReason).toBe('end_turn');
  expect(conversationsAfter(timeline)[0]?.entries.map(({ kind }) => kind)).toEqual(['message']);
});
