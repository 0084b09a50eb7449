import { describe, expect, test } from 'vitest';
import type { Tool, ToolContext } from '../../../src/entries/tools.ts';
import { toolCallIdOf } from '../../../src/tools/tool-call-id.ts';
import { eventually } from '../../support/eventually.ts';
import { openTools, waitingTool, ways } from '../../support/open-tools.ts';

describe.each(ways)('over %s, %s versions of MCP', (transport, era) => {
  test('a call reaches `run` with its input, its session and its `_meta`', async () => {
    const seen: unknown[] = [];
    const open: Tool = {
      description: 'Opens a file.',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      run: (input, { session, meta, toolCallId }: ToolContext) => {
        seen.push(input, session, meta, toolCallId);
        return 'Opened.';
      },
    };
    const { client, editor, session } = await openTools({ open_file: open }, { transport, era });
    expect(editor.transport).toBe(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['open_file']);
    const result = await client.callTool({
      name: 'open_file',
      arguments: { path: '/a.ts' },
      _meta: { 'claudecode/toolUseId': 't1' },
    });
    expect(result.content).toEqual([{ type: 'text', text: 'Opened.' }]);
    expect(seen).toEqual([
      { path: '/a.ts' },
      session,
      expect.objectContaining({ 'claudecode/toolUseId': 't1' }),
      't1',
    ]);
  });

  test('what a tool says of its progress after its result is not sent', async () => {
    let tell: ToolContext['progress'] | undefined;
    const received: unknown[] = [];
    const keeps: Tool = {
      description: 'Keeps its function for progress.',
      run: async (_, { progress }) => {
        tell ??= progress;
        progress({ progress: 1 });
        await eventually(() => received).toEqual([{ progress: 1 }]);
        return 'Done.';
      },
    };
    const { client } = await openTools({ keeps }, { transport, era });
    client.fallbackNotificationHandler = async (notification) => void received.push(notification);
    client.onerror = (error) => void received.push(error.message);
    const onprogress = (progress: unknown) => void received.push(progress);
    await client.callTool({ name: 'keeps' }, { onprogress });
    tell?.({ progress: 2 });
    await client.callTool({ name: 'keeps' });
    expect(received).toEqual([{ progress: 1 }]);
  });

  test('calls run at the same time, and each gets its own result', async () => {
    const finish = new Map<unknown, (text: string) => void>();
    const wait: Tool = {
      description: 'Waits.',
      input: { type: 'object', properties: { id: { type: 'number' } } },
      run: ({ id }) =>
        new Promise<string>((resolve) => {
          finish.set(id, resolve);
        }),
    };
    const { client } = await openTools({ wait }, { transport, era });
    const ids = [1, 2, 3, 4, 5];
    const calls = ids.map((id) => client.callTool({ name: 'wait', arguments: { id } }));
    await eventually(() => finish.size).toBe(ids.length);
    for (const id of ids.toReversed()) finish.get(id)?.(`result ${id}`);
    const results = await Promise.all(calls);
    expect(results.map(({ content }) => content)).toEqual(
      ids.map((id) => [{ type: 'text', text: `result ${id}` }]),
    );
  });
});

test('[reliability: limit-tool-calls] an agent can run 64 calls of a session, and is told when it asks for more', async () => {
  const { tool, signals } = waitingTool();
  const { client } = await openTools({ wait: tool }, { transport: 'http', era: 'legacy' });
  for (let count = 0; count < 64; count++) client.callTool({ name: 'wait' }).catch(() => {});
  await eventually(() => signals).toHaveLength(64);
  expect(await client.callTool({ name: 'wait' })).toMatchObject({
    isError: true,
    content: [{ text: 'The editor runs 64 calls of this session already. Wait for one of them.' }],
  });
});

const turn = { session_id: '01a2064a', thread_id: '01a2064a', turn_id: '01a2064a-8e11' };

/** The `_meta` of calls, as the agents sent it, with shorter values. */
const observed = {
  claude: { 'claudecode/toolUseId': 'toolu_1', progressToken: 1 },
  codex: {
    progressToken: 1,
    callId: 'call_1',
    'x-codex-turn-metadata': turn,
    threadId: '01a2064a',
    sessionId: '01a2064a',
    windowId: '01a2064a:0',
    itemId: 'fc_2',
  },
  'codex-zed': { progressToken: 1, 'x-codex-turn-metadata': turn, threadId: '01a2064a' },
  opencode: { progressToken: 2 },
  gemini: { progressToken: '6d9574f3-e25b-448a-8a42-8caceb521204' },
};

test('the tool call is the one that claude and codex name, and none with agents that name none', () => {
  const ids = Object.entries(observed).map(([agent, meta]) => [agent, toolCallIdOf(meta)]);
  expect(Object.fromEntries(ids)).toEqual({
    claude: 'toolu_1',
    codex: 'call_1',
    'codex-zed': undefined,
    opencode: undefined,
    gemini: undefined,
  });
});

test('a call without _meta, and a value that is no text, name no tool call', () => {
  expect(toolCallIdOf(undefined)).toBe(undefined);
  expect(toolCallIdOf({ callId: 7 })).toBe(undefined);
});
