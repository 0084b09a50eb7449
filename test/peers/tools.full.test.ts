import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { textOf } from '../../src/entries/conversation.ts';
import { type ToolContext, ToolError, toolServer } from '../../src/entries/tools.ts';
import { spawnAgent } from '../../src/node/spawn.ts';
import { eventually } from '../support/eventually.ts';

const program = fileURLToPath(new URL('programs/tools-agent.mjs', import.meta.url));

/** The program of an editor: three tools. It is the same for each version. */
function editorTools() {
  const calls: ToolContext[] = [];
  const server = toolServer({
    name: 'editor',
    tools: {
      show_file: {
        description: 'Shows a file.',
        input: v.object({ path: v.string() }),
        run({ path }, context) {
          calls.push(context);
          if (path !== '/a.ts') throw new ToolError(`There is no file ${path}.`);
          return 'Shown.';
        },
      },
      list_problems: {
        description: 'Lists problems.',
        run: () => ({ structuredContent: { problems: ['a missing semicolon'] } }),
      },
      wait: {
        description: 'Waits.',
        run(_input, context) {
          calls.push(context);
          context.progress({ progress: 1, total: 2, message: 'The user is asked.' });
          return new Promise<string>(() => {});
        },
      },
    },
  });
  return { server, calls };
}

async function opened(version: 'v1' | 'v2') {
  let complaints = '';
  const agent = spawnAgent({
    command: process.execPath,
    args: [program, version],
    onStderr: (text) => {
      complaints += text;
    },
  });
  const connection = await connect(agent, {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    protocolVersions: [version === 'v1' ? 1 : 2],
    onDiagnostic() {},
  });
  onTestFinished(async () => {
    await connection.close();
    expect(complaints).toBe('');
  });
  const { server, calls } = editorTools();
  const session = await connection.newSession({ cwd: '/work', mcpServers: [server] });
  /** What the agent says after a prompt. */
  const ask = async (order: object): Promise<unknown> => {
    await session.prompt(JSON.stringify(order));
    const last = session.conversation.entries.findLast(
      (entry) => entry.kind === 'message' && entry.role === 'agent',
    );
    return JSON.parse(last?.kind === 'message' ? textOf(last) : 'null');
  };
  return { session, server, calls, ask };
}

// Over http and stdio, an agent is a client of MCP: test/unit/tools has the official one.
describe.each(['v1', 'v2'] as const)('an agent of the official SDK, %s, with tools over acp', (version) => {
  test('lists and calls them, with their session, and gets text, structured output and errors', async () => {
    const { ask, calls, session, server } = await opened(version);
    expect(server.transport).toBe('acp');
    expect(await ask({ do: 'list' })).toEqual(['show_file', 'list_problems', 'wait']);
    const call = (name: string, input: object) => ask({ do: 'call', name, input });
    expect(await call('show_file', { path: '/a.ts' })).toMatchObject({
      result: { content: [{ type: 'text', text: 'Shown.' }] },
    });
    expect(calls[0]?.session).toBe(session);
    expect(await call('list_problems', {})).toMatchObject({
      result: { structuredContent: { problems: ['a missing semicolon'] } },
    });
    expect(await call('show_file', { path: '/b.ts' })).toMatchObject({
      result: { isError: true, content: [{ text: 'There is no file /b.ts.' }] },
    });
    expect(await call('show_file', {})).toMatchObject({ result: { isError: true } });
    expect(await call('other', {})).toMatchObject({ error: expect.stringContaining('There is no tool') });
  });

  test('gets progress, and its cancel reaches the tool', async () => {
    const { ask, calls } = await opened(version);
    const answer = await ask({ do: 'call', name: 'wait', input: {}, cancelAtProgress: true });
    expect(answer).toMatchObject({
      progress: [{ progress: 1, total: 2, message: 'The user is asked.' }],
      error: expect.any(String),
    });
    await eventually(() => calls[0]?.signal.aborted).toBe(true);
  });

  test('is told of a changed list', async () => {
    const { ask, server } = await opened(version);
    expect(await ask({ do: 'watch' })).toBe('watching');
    await server.addTool('more', { description: 'More.', run: () => 'more' });
    await eventually(() => ask({ do: 'changes' })).toBe(1);
    expect(await ask({ do: 'list' })).toEqual(['show_file', 'list_problems', 'wait', 'more']);
  });
});
