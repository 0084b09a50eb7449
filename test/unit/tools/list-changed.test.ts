import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { McpServerHost, ProvideMcpServer } from '../../../src/core/client/session/mcp-provider.ts';
import { provideMcpServer } from '../../../src/core/model/mcp-server.ts';
import { type Tool, type ToolServer, toolServer } from '../../../src/entries/tools.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import {
  connectClient,
  connectTools,
  openTools,
  ownSchema,
  serverOf,
  waitingTool,
} from '../../support/open-tools.ts';
import { describedTo } from '../../support/tool-client.ts';

const tool = (text: string): Tool => ({ description: text, run: () => text });

test('the agent is told of each change of the tools, also during a call', async () => {
  const lists: unknown[] = [];
  const { tool: slow, signals, release } = waitingTool();
  const onChanged = (_error: unknown, tools: readonly { readonly name: string }[] | null) =>
    lists.push(tools?.map(({ name }) => name).join());
  const { client, editor } = await openTools(
    { slow },
    { client: { listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } } } },
  );
  await client.listTools();
  await editor.addTool('two', tool('2'));
  await eventually(() => lists.at(-1)).toBe('slow,two');
  expect((await client.callTool({ name: 'two' })).content).toEqual([{ type: 'text', text: '2' }]);
  const call = client.callTool({ name: 'slow' });
  await eventually(() => signals).toHaveLength(1);
  await editor.addTool('three', tool('3'));
  await eventually(() => lists.at(-1)).toBe('slow,two,three');
  // The call of a tool that is removed goes on.
  expect(editor.removeTool('slow')).toBe(true);
  await eventually(() => lists.at(-1)).toBe('two,three');
  release();
  expect((await call).content).toEqual([{ type: 'text', text: 'waited' }]);
  await expect(client.callTool({ name: 'slow' })).rejects.toThrow(/There is no tool/);
  // A tool that is not there is no change.
  const count = lists.length;
  expect(editor.removeTool('slow')).toBe(false);
  await settle();
  expect(lists).toHaveLength(count);
  expect(editor.toolNames).toEqual(['two', 'three']);
});

test('of two tools of one name that are added at the same time, the one that was added last stays', async () => {
  const { client, editor } = await openTools({});
  // The schema of valibot is converted by a package, which takes longer.
  const first: Tool = { ...tool('1'), input: v.object({}) };
  await Promise.all([editor.addTool('one', first), editor.addTool('one', tool('2'))]);
  expect(editor.toolNames).toEqual(['one']);
  expect((await client.callTool({ name: 'one' })).content).toEqual([{ type: 'text', text: '2' }]);
});

test('tools that are added and removed before a session belong to it', async () => {
  const { client, editor, connection, agent } = await openTools({ one: tool('1'), two: tool('2') });
  await client.close();
  editor.removeTool('one');
  await editor.addTool('three', tool('3'));
  await connection.newSession({ cwd, mcpServers: [editor] });
  const second = await connectClient(agent, describedTo(agent));
  expect((await second.listTools()).tools.map(({ name }) => name)).toEqual(['two', 'three']);
});

test('a session that has ended is not told of changes', async () => {
  const editor = toolServer({ name: 'editor', transports: ['acp'], tools: { one: tool('1') } });
  const provide = Reflect.get(editor, provideMcpServer) as ProvideMcpServer;
  // What a server uses of a connection before it has a call.
  const host = {
    explain: () => ({ supported: true }),
    session: new Promise(() => {}),
    report() {},
    record() {},
  } as unknown as McpServerHost;
  const told: string[] = [];
  const serve = async (name: string) =>
    Object.assign(await provide(host), { toolsChanged: () => void told.push(name) });
  const [ended] = [await serve('ended'), await serve('open')];
  await editor.addTool('two', tool('2'));
  expect(told.splice(0)).toEqual(['ended', 'open']);
  await ended.release();
  await editor.addTool('three', tool('3'));
  expect(told).toEqual(['open']);
});

test('a tool that is removed while the first session prepares it stays removed', async () => {
  const removing = () => {
    editor.removeTool('danger');
    return { type: 'object' };
  };
  const input = ownSchema((value) => ({ value }), removing);
  const editor: ToolServer = serverOf({ danger: { ...tool('x'), input } });
  const { connection } = await connectTools();
  await connection.newSession({ cwd, mcpServers: [editor] });
  expect(editor.toolNames).toEqual([]);
});
