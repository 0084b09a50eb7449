import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { type Tool, type ToolContext, type ToolTransport, toolServer } from '../../../src/tools/index.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';
import { describedTo, type McpEra, toolClient } from '../../support/tool-client.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ways = [
  ['acp', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const satisfies readonly (readonly [ToolTransport, McpEra])[];

async function opened(transport: ToolTransport, era: McpEra, tools: Record<string, Tool>) {
  const editor = toolServer({ name: 'editor', tools, transports: [transport] });
  const connected = await connectTo(everything.v1, {
    script: (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/close', {}),
  });
  const { agent, connection, diagnostics } = connected;
  ends.push(() => connection.close());
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  const client = await toolClient(agent, describedTo(agent), era);
  ends.push(() => client.close());
  return { editor, client, session, agent, connection, diagnostics };
}

describe.each(ways)('tools over %s, %s versions of MCP', (transport, era) => {
  test('are listed and called', async () => {
    const seen: unknown[] = [];
    const open: Tool = {
      description: 'Opens a file.',
      input: v.object({ path: v.string(), line: v.optional(v.number()) }),
      run: (input, { session }: ToolContext) => {
        seen.push(input, session.sessionId);
        return 'Opened.';
      },
    };
    const { client, editor } = await opened(transport, era, { open_file: open });
    expect(editor.transport).toBe(transport);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: 'open_file',
        description: 'Opens a file.',
        inputSchema: { type: 'object', required: ['path'] },
      },
    ]);
    const result = await client.callTool({ name: 'open_file', arguments: { path: '/a.ts', line: 3 } });
    expect(result.content).toEqual([{ type: 'text', text: 'Opened.' }]);
    expect(seen).toEqual([{ path: '/a.ts', line: 3 }, 's1']);
  });

  test('tell progress, and are aborted when the agent cancels', async () => {
    let aborted: unknown;
    const wait: Tool = {
      description: 'Waits.',
      run: (_, { signal, progress }) => {
        progress({ progress: 1, total: 2, message: 'half' });
        return new Promise<string>(() => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
          });
        });
      },
    };
    const { client } = await opened(transport, era, { wait });
    const control = new AbortController();
    const progressed: unknown[] = [];
    const call = client.callTool(
      { name: 'wait' },
      {
        signal: control.signal,
        onprogress: (progress) => {
          progressed.push(progress);
          control.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(progressed).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    await expect.poll(() => aborted).toBeDefined();
  });

  test('can be added and removed while the session runs', async () => {
    const { client, editor } = await opened(transport, era, { one: { description: '1', run: () => '1' } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['one']);
    await editor.addTool('two', { description: '2', run: () => '2' });
    expect(editor.removeTool('one')).toBe(true);
    await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toEqual(['two']);
  });
});
