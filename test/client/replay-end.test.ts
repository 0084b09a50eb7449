import { expect, test } from 'vitest';
import type { Conversation, ToolCallEntry } from '../../src/model/conversation.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { foldTraffic } from '../../src/testing/fold-traffic.ts';
import { type ScriptedAgent, silence } from '../../src/testing/scripted-agent.ts';
import { connectTo, everything, settle } from '../support/agents.ts';

const cwd = '/home/user/project';
const params = { sessionId: 's1', cwd };

const toolCall = (status: string) => ({
  sessionUpdate: 'tool_call',
  toolCallId: 't1',
  title: 'Write',
  status,
});
const toolCallUpdate = (fields: object) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't1',
  ...fields,
});

/** An agent of version 1 whose history has a tool call that is unfinished. */
const replaying = (agent: ScriptedAgent) =>
  agent.on('session/load', (_params, agent) => {
    agent.update('s1', toolCall('pending'), toolCallUpdate({ status: 'in_progress' }));
    return null;
  });

const statusIn = ({ entries }: Conversation) =>
  entries.find((entry): entry is ToolCallEntry => entry.kind === 'toolCall')?.status;

test.each(['pending', 'in_progress'])(
  'in version 1 a tool call that a replay leaves %s is shown as it was told, in a session that rests',
  async (status) => {
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', (_params, agent) => {
          agent.update('s1', toolCall(status));
          return null;
        }),
    });
    const session = await connection.loadSession(params);
    const conversation = session.conversation.getSnapshot();
    expect(statusIn(conversation)).toBe(status);
    expect(conversation.activity.state).toBe('idle');
  },
);

test('the end of the next turn marks it as cancelled, and a later report of the agent counts', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) => replaying(agent).on('session/prompt', { stopReason: 'end_turn' }),
  });
  const session = await connection.loadSession(params);
  expect(statusIn(session.conversation.getSnapshot())).toBe('in_progress');
  await session.prompt('Go on.');
  expect(statusIn(session.conversation.getSnapshot())).toBe('cancelled');
  agent.update('s1', toolCallUpdate({ status: 'completed' }));
  await settle();
  expect(statusIn(session.conversation.getSnapshot())).toBe('completed');
});

test('a load while a prompt is open leaves its tool calls running, and shows that the session runs', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      replaying(agent)
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', () => silence),
  });
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Write.');
  const { id } = await agent.called('session/prompt');
  await connection.loadSession(params);
  const during = session.conversation.getSnapshot();
  expect(statusIn(during)).toBe('in_progress');
  expect(during.activity.state).toBe('running');
  agent.answer(id ?? -1, { stopReason: 'end_turn' });
  await turn;
  expect(statusIn(session.conversation.getSnapshot())).toBe('cancelled');
});

test('a turn that ends during a load that fails has ended in what is restored', async () => {
  let fail: (error: Error) => void = () => {};
  const failing = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', (_params, agent) => {
          agent.update('s1', toolCall('in_progress'));
          return silence;
        })
        .on('session/load', () => failing),
  });
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Write.');
  const prompt = await agent.called('session/prompt');
  await settle();
  const loading = connection.loadSession(params);
  await agent.called('session/load');
  agent.answer(prompt.id ?? -1, { stopReason: 'end_turn' });
  await turn;
  fail(new RequestError(-32603, 'The history cannot be read.'));
  await expect(loading).rejects.toThrow('The history cannot be read.');
  const restored = session.conversation.getSnapshot();
  expect(restored.activity.state).toBe('idle');
  expect(statusIn(restored)).toBe('cancelled');
});

test('a load while the agent asks leaves the tool call that it asks about open', async () => {
  let allow: (optionId: string) => void = () => {};
  const { connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', toolCall('pending'));
        agent.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1' },
          options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
        });
        return null;
      }),
    handlers: {
      requestPermission: () =>
        new Promise((resolve) => {
          allow = (optionId) => resolve({ outcome: 'selected', optionId });
        }),
    },
  });
  const session = await connection.loadSession(params);
  const asking = session.conversation.getSnapshot();
  expect(asking.entries).toMatchObject([{ status: 'pending', permission: { title: 'Write' } }]);
  expect(asking.activity.state).toBe('requires_action');
  allow('yes');
  await settle();
  expect(session.conversation.getSnapshot()).toMatchObject({
    activity: { state: 'idle' },
    entries: [{ status: 'pending', permission: null }],
  });
});

test.each([
  ['v2-markers', 'session/load'],
  ['v2-baseline', 'session/resume'],
] as const)('in %s the agent says itself what goes on, and is believed', async (dialect, method) => {
  const { connection } = await connectTo(everything[dialect], {
    script: (agent) =>
      agent.on(method, (_params, agent) => {
        agent.update('s1', toolCallUpdate({ title: 'Write', status: 'in_progress' }));
        agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
        return {};
      }),
  });
  const session = await connection.loadSession(params);
  expect(statusIn(session.conversation.getSnapshot())).toBe('in_progress');
});

test('a recording of a load gives the same', async () => {
  const record = (dir: 'in' | 'out', msg: object) =>
    JSON.stringify({ dir, t: 0, msg: { jsonrpc: '2.0', ...msg } });
  const { sessions } = await foldTraffic([
    record('out', { id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
    record('in', {
      id: 0,
      result: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
    }),
    record('out', { id: 1, method: 'session/load', params }),
    record('in', { method: 'session/update', params: { sessionId: 's1', update: toolCall('pending') } }),
    record('in', { id: 1, result: null }),
  ]);
  expect(sessions.map(({ conversation }) => statusIn(conversation))).toEqual(['pending']);
});
