import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../../src/core/client/session/session.ts';
import { findToolCall, textOf } from '../../../src/core/conversation/select.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { ToolError, toolServer } from '../../../src/entries/tools.ts';
import { memoryStore } from '../../../src/programs/demo/store.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLibrary, cwd } from './dialects.ts';

const words = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'agent' ? [textOf(entry)] : [],
  );

/** A server with three tools, and a session of the demo agent that has it. */
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
  const connection = await connectLibrary(dialect, memoryStore());
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  return { editor, seen, session };
}

describe.each(dialectNames)('the demo agent in %s', (dialect) => {
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
});

test('the demo agent says what is missing if the session has no server over HTTP', async () => {
  const session = await (await connectLibrary('v1')).newSession({ cwd });
  await expect(session.prompt('Use the tool open_file')).rejects.toThrow(
    'The session has no MCP server over HTTP',
  );
});
