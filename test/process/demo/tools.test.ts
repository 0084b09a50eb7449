import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { connect } from '../../../src/client/connect.ts';
import type { Session } from '../../../src/client/session/session.ts';
import { findToolCall, textOf } from '../../../src/conversation/select.ts';
import { ToolError, toolServer } from '../../../src/entries/tools.ts';
import { spawnAgent } from '../../../src/node/spawn.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { buildDemoAgent } from '../../support/build-demo-agent.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dialects: readonly DialectName[] = ['v1', 'v2-markers', 'v2-baseline'];
const clientInfo = { name: 'test', version: '0' };
const cwd = '/home/ada';

const words = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'agent' ? [textOf(entry)] : [],
  );

/** A server with three tools, and the demo agent with a session that has it. */
async function openDemo(dialect: DialectName) {
  const seen: unknown[] = [];
  const editor = toolServer({
    name: 'editor',
    tools: {
      open_file: {
        description: 'Opens a file.',
        input: v.object({ path: v.string() }),
        run: ({ path }, { session, toolCallId = '' }) => {
          const call = findToolCall(session.conversation, toolCallId);
          seen.push(path, session.sessionId, call?.title);
          return `Opened ${path}.`;
        },
      },
      wait: {
        description: 'Waits until it is cancelled.',
        run: (_, { signal }) => {
          seen.push(signal);
          return new Promise<string>(() => {});
        },
      },
      problems: {
        description: 'The problems of a file.',
        run: () => {
          throw new ToolError('There is no such file.');
        },
      },
    },
  });
  const args = [await buildDemoAgent(), '--dialect', dialect, '--state', temporaryFolder()];
  const agent = spawnAgent({ command: process.execPath, args });
  const diagnostics: Diagnostic[] = [];
  const connection = await connect(agent, { clientInfo, onDiagnostic: (one) => diagnostics.push(one) });
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  return { agent, connection, diagnostics, editor, seen, session };
}

describe.each(dialects)('the demo agent in %s', (dialect) => {
  test('calls a tool of the editor, and says what it returned', async () => {
    const { editor, seen, session } = await openDemo(dialect);
    expect(editor.transport).toBe('http');
    await session.prompt('Use the tool open_file {"path": "/a.ts"}');
    expect(seen).toEqual(['/a.ts', session.sessionId, 'open_file']);
    expect(words(session).join('')).toContain('The tool says: “Opened /a.ts.”');
    await session.prompt('Use the tool problems');
    expect(words(session).join('')).toContain('The tool says: “There is no such file.”');
    const calls = session.conversation.entries.filter((entry) => entry.kind === 'toolCall');
    expect(calls.map(({ title, status }) => [title, status])).toEqual([
      ['open_file', 'completed'],
      ['problems', 'failed'],
    ]);
    await session.prompt('tool');
    expect(words(session).join('')).toContain('Name the tool after the word "tool".');
  });

  test('cancels the call with its turn', async () => {
    const { seen, session } = await openDemo(dialect);
    const turn = session.prompt('Use the tool wait');
    await eventually(() => seen.length).toBe(1);
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(seen[0]).toMatchObject({ aborted: true });
  });

  test('that is killed during a call is reported', async () => {
    const { agent, diagnostics, seen, session } = await openDemo(dialect);
    const turn = session.prompt('Use the tool wait').catch((error: unknown) => error);
    await eventually(() => seen.length).toBe(1);
    process.kill(agent.pid ?? 0, 'SIGKILL');
    expect(await turn).toMatchObject({ code: expect.stringMatching(/^(?:agent\.exit|connection\.closed)$/) });
    expect(seen[0]).toMatchObject({ aborted: true });
    expect(diagnostics.map(({ rule }) => rule)).toContain('tools.interrupted');
  });
});

test('the demo agent says what is missing if the session has no server over HTTP', async () => {
  const args = [await buildDemoAgent(), '--dialect', 'v1', '--state', temporaryFolder()];
  const connection = await connect(spawnAgent({ command: process.execPath, args }), { clientInfo });
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Use the tool open_file')).rejects.toThrow(
    'The session has no MCP server over HTTP',
  );
});
