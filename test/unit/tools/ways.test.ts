import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/entries/tools.ts';
import { eventually } from '../../support/eventually.ts';
import { leftOf, openTools, waitingTool, ways } from '../../support/open-tools.ts';

const structured = { structuredContent: { isOpen: true } };
/** It is sent as a text, too. */
const resultBytes = JSON.stringify(structured).length + JSON.stringify(structured.structuredContent).length;

// The other files prove what a call does over one way. These tests prove that each way has it, with each version of MCP.
describe.each(ways)('over %s, %s versions of MCP', (transport, era) => {
  test('a call reaches `run`, and the agent gets its progress, its result and a change of the tools', async () => {
    const seen: unknown[] = [];
    const progressed: unknown[] = [];
    const open: Tool = {
      description: 'Opens a file.',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      run: async (input, { session, meta, toolCallId, progress }) => {
        seen.push(input, session, meta, toolCallId);
        progress({ progress: 1, total: 2, message: 'half' });
        await eventually(() => progressed).toEqual([{ progress: 1, total: 2, message: 'half' }]);
        return structured;
      },
    };
    const lists: unknown[] = [];
    const onChanged = (_error: unknown, tools: readonly { readonly name: string }[] | null) =>
      lists.push(tools?.map(({ name }) => name));
    const { client, editor, session, diagnostics } = await openTools(
      { open_file: open, small: { description: 'Small.', run: () => structured } },
      {
        transport,
        era,
        client: { listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } } },
        server: { instructions: 'Ask before you delete.', maxUnreadResultBytes: 3 * resultBytes },
      },
    );
    expect(editor.transport).toBe(transport);
    expect(client.getInstructions()).toBe('Ask before you delete.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['open_file', 'small']);
    const onprogress = (progress: unknown) => progressed.push(progress);
    const _meta = { 'claudecode/toolUseId': 't1' };
    const call = { name: 'open_file', arguments: { path: '/a.ts' }, _meta };
    expect(await client.callTool(call, { onprogress })).toMatchObject(structured);
    expect(seen).toEqual([{ path: '/a.ts' }, session, expect.objectContaining(_meta), 't1']);
    // Results that are read need no room, however many there are.
    for (let count = 0; count < 6; count++) {
      expect(await client.callTool({ name: 'small' })).toMatchObject(structured);
    }
    await editor.addTool('two', { description: '2', run: () => '2' });
    await eventually(() => lists).toEqual([['open_file', 'small', 'two']]);
    await expect(client.callTool({ name: 'three' })).rejects.toThrow(/There is no tool/);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('a call that the agent cancels is aborted, and the end of the session ends the others and leaves nothing', async () => {
    const { tool, signals } = waitingTool();
    const { client, session, server, diagnostics } = await openTools({ wait: tool }, { transport, era });
    const control = new AbortController();
    const cancelled = client.callTool({ name: 'wait' }, { signal: control.signal });
    await eventually(() => signals).toHaveLength(1);
    control.abort();
    await expect(cancelled).rejects.toThrow();
    await eventually(() => signals[0]?.aborted).toBe(true);
    expect(String(signals[0]?.reason)).toBe('AbortError: The agent cancelled the call.');
    client.callTool({ name: 'wait' }).catch(() => {});
    await eventually(() => signals).toHaveLength(2);
    await session.close();
    expect(String(signals[1]?.reason)).toBe('AbortError: The session is over.');
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toHaveLength(1);
    await expect(client.callTool({ name: 'wait' })).rejects.toThrow();
    expect(signals).toHaveLength(2);
    expect(await leftOf(server)).toEqual([]);
  });
});
