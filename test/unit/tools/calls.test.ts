import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { findToolCall } from '../../../src/core/conversation/select.ts';
import { renderText } from '../../../src/core/render/text.ts';
import type { Tool, ToolContext } from '../../../src/entries/tools.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, refuses, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { connectClient, connectTools, openTools, serverOf } from '../../support/open-tools.ts';
import { describedTo } from '../../support/tool-client.ts';

test.each(['before', 'after'] as const)(
  'the progress of a tool is shown in the tool call that the agent announces %s it, until the call ends',
  async (when) => {
    const end = deferred<string>();
    const begun = deferred<ToolContext['progress']>();
    const search: Tool = {
      description: 'Searches.',
      run: async (_, { progress }) => {
        progress({ progress: 3, total: 10, message: 'Searching' });
        begun.resolve(progress);
        return end.promise;
      },
    };
    // The agent does not ask for progress over MCP.
    const { agent, client, session } = await openTools({ search });
    const tell = (update: JsonObject) => agent.update('s1', { toolCallId: 't1', ...update });
    const announce = () => tell({ sessionUpdate: 'tool_call', title: 'search', status: 'pending' });
    const shown = () => findToolCall(session.conversation, 't1')?.progress;
    if (when === 'before') announce();
    const call = client.callTool({ name: 'search', _meta: { 'claudecode/toolUseId': 't1' } });
    const progress = await begun.promise;
    if (when === 'after') announce();
    await eventually(shown).toEqual({ progress: 3, total: 10, message: 'Searching' });
    expect(renderText(session.conversation)).toContain('Searching · 3 of 10');
    tell({ sessionUpdate: 'tool_call_update', status: 'in_progress' });
    await eventually(() => findToolCall(session.conversation, 't1')?.status).toBe('in_progress');
    expect(shown()).toEqual({ progress: 3, total: 10, message: 'Searching' });
    end.resolve('Found.');
    await call;
    await eventually(shown).toBeUndefined();
    progress({ progress: 4 });
    tell({ sessionUpdate: 'tool_call_update', title: 'late' });
    await eventually(() => findToolCall(session.conversation, 't1')?.title).toBe('late');
    expect(shown()).toBeUndefined();
  },
);

test('[reliability: limit-tool-calls] calls that wait for their session count, and one that is cancelled makes room', async () => {
  const { agent, connection } = await connectTools({
    script: (scripted) => scripted.on('session/new', () => noAnswer),
  });
  const one: Tool = { description: 'x', run: () => 'ran' };
  const opening = connection.newSession({ cwd, mcpServers: [serverOf({ one })] });
  const { id } = await agent.called('session/new');
  const client = await connectClient(agent, describedTo(agent));
  const control = new AbortController();
  const cancelled = client.callTool({ name: 'one' }, { signal: control.signal });
  const others = Array.from({ length: 63 }, () => client.callTool({ name: 'one' }));
  const refused = { isError: true, content: [{ text: expect.stringContaining('runs 64 calls') }] };
  expect(await client.callTool({ name: 'one' })).toMatchObject(refused);
  control.abort();
  await expect(cancelled).rejects.toThrow();
  await settle();
  const next = client.callTool({ name: 'one' });
  await settle();
  expect(await client.callTool({ name: 'one' })).toMatchObject(refused);
  agent.answer(id as number, { sessionId: 's1' });
  await opening;
  const results = await Promise.all([...others, next]);
  expect(results.map(({ content }) => content)).toEqual(results.map(() => [{ type: 'text', text: 'ran' }]));
});

test.each([
  ['with a token', [1]],
  ['without one', []],
])(
  'a tool can call progress at any time, %s, and after its result nothing is sent',
  async (_, progressed) => {
    const said = text('x');
    let tell = () => {};
    const { client, agent, connection } = await openTools({
      wait: {
        description: 'x',
        run: (_input, { progress }) => {
          tell = () => progress({ progress: 1 });
          tell();
          return said;
        },
      },
    });
    const got: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => got.push(progress);
    const options = progressed.length > 0 ? { onprogress } : {};
    expect((await client.callTool({ name: 'wait' }, options)).content).toEqual([said]);
    tell();
    await connection.close();
    tell();
    await settle();
    expect(got).toEqual(progressed);
    expect(agent.calls('mcp/message')).toHaveLength(progressed.length);
  },
);

test('what a tool says of its progress when its call is cancelled is not sent', async () => {
  const end = deferred<string>();
  const wait: Tool = {
    description: 'Waits.',
    run: (_, { progress, signal }) => {
      signal.addEventListener('abort', () => progress({ progress: 2 }));
      progress({ progress: 1 });
      return end.promise;
    },
  };
  const { client, session } = await openTools({ wait });
  const received: unknown[] = [];
  const control = new AbortController();
  const onprogress = ({ progress }: { readonly progress: number }) => void received.push(progress);
  const call = client.callTool({ name: 'wait' }, { onprogress, signal: control.signal });
  await eventually(() => received).toEqual([1]);
  await session.cancel();
  await client.listTools();
  expect(received).toEqual([1]);
  control.abort();
  await expect(call).rejects.toThrow();
});

test('a call that showed no progress leaves that of another call of the same tool call', async () => {
  const end = deferred<string>();
  const tools: Record<string, Tool> = {
    tells: {
      description: 'Tells its progress.',
      run: (_, { progress }) => {
        progress({ progress: 1 });
        return end.promise;
      },
    },
    quiet: { description: 'Tells nothing.', run: () => 'ran' },
  };
  const { agent, client, session } = await openTools(tools);
  const shown = () => findToolCall(session.conversation, 't1')?.progress;
  agent.update('s1', { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'x', status: 'in_progress' });
  const first = client.callTool({ name: 'tells', _meta: { callId: 't1' } });
  await eventually(shown).toEqual({ progress: 1 });
  await client.callTool({ name: 'quiet', _meta: { callId: 't1' } });
  expect(shown()).toEqual({ progress: 1 });
  end.resolve('Done.');
  await first;
  expect(shown()).toBe(undefined);
});

test('a prompt is not sent again after a login if the agent has called a tool for it', async () => {
  const { agent, client, session } = await openTools(
    { edit: { description: 'Edits.', run: () => 'Done.' } },
    { transport: 'http', connect: { onAuthRequired() {} } },
  );
  agent.on('session/prompt', async () => {
    await client.callTool({ name: 'edit' });
    return refuses(-32000, 'Log in.')();
  });
  await expect(session.prompt('Go.')).rejects.toMatchObject({ rpcCode: -32000, promptAccepted: true });
  expect(agent.calls('session/prompt')).toHaveLength(1);
});

const turn = { session_id: '01a2064a', thread_id: '01a2064a', turn_id: '01a2064a-8e11' };

/** The `_meta` of calls, as the agents sent it, with shorter values, and the tool call that it names. */
const observed: readonly (readonly [agent: string, named: string | undefined, meta: JsonObject])[] = [
  [
    '@agentclientprotocol/claude-agent-acp',
    'toolu_1',
    { 'claudecode/toolUseId': 'toolu_1', progressToken: 1 },
  ],
  [
    '@agentclientprotocol/codex-acp',
    'call_1',
    {
      progressToken: 1,
      callId: 'call_1',
      'x-codex-turn-metadata': turn,
      threadId: '01a2064a',
      sessionId: '01a2064a',
      windowId: '01a2064a:0',
      itemId: 'fc_2',
    },
  ],
  ['codex-acp', undefined, { progressToken: 1, 'x-codex-turn-metadata': turn, threadId: '01a2064a' }],
  ['OpenCode', undefined, { progressToken: 2 }],
  ['gemini-cli', undefined, { progressToken: '6d9574f3-e25b-448a-8a42-8caceb521204' }],
  ['codex-acp', undefined, { callId: 'of another agent' }],
];

test.each(observed)(
  'the tool call of a call of %s is the one that it names: %s',
  async (name, named, _meta) => {
    const called = deferred<string | undefined>();
    const run = async (_: unknown, { toolCallId }: ToolContext) => {
      called.resolve(toolCallId);
      return 'done';
    };
    const script = (agent: ScriptedAgent) =>
      agent.on('initialize', { ...everything.v1, agentInfo: { name, version: '1' } });
    const { client } = await openTools({ search: { description: 'Searches.', run } }, { script });
    await client.callTool({ name: 'search', _meta });
    expect(await called.promise).toBe(named);
  },
);

test('the progress is shown in the tool call of a subagent, and is over with the tool call or the session', async () => {
  const say: ToolContext['progress'][] = [];
  const wait: Tool = {
    description: 'Waits.',
    run: (_, { progress, signal }) => {
      say.push(progress);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('Aborted.')));
    },
  };
  const { agent, client, session } = await openTools({ wait });
  const call = (toolCallId: string) => ({ sessionUpdate: 'tool_call', toolCallId, title: 'wait' });
  agent.update('s1', call('t1'), { sessionUpdate: 'subagent_update', sessionId: 'child' });
  agent.update('child', call('t2'));
  const calls = ['t1', 't2', 'unknown'].map((callId) => client.callTool({ name: 'wait', _meta: { callId } }));
  await eventually(() => say.length).toBe(3);
  for (const progress of say) progress({ progress: 1 });
  const shown = () => [
    findToolCall(session.conversation, 't1')?.progress,
    findToolCall(session.subagents[0]?.conversation ?? session.conversation, 't2')?.progress,
  ];
  await eventually(shown).toEqual([{ progress: 1 }, { progress: 1 }]);
  expect(session.conversation.entries).toHaveLength(1);
  agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
  await eventually(shown).toEqual([undefined, { progress: 1 }]);
  // The agent has reported the end already: the tool says nothing more there.
  say[0]?.({ progress: 2 });
  await session.cancel();
  await Promise.all(calls);
  await eventually(shown).toEqual([undefined, undefined]);
});
