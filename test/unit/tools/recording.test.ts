import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { connect } from '../../../src/client/connect.ts';
import type { Tool, ToolTransport } from '../../../src/entries/tools.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { foldTraffic } from '../../../src/recording/fold-traffic.ts';
import { playback, readRecords } from '../../../src/recording/playback.ts';
import { recordTraffic } from '../../../src/recording/record-traffic.ts';
import type { Trace } from '../../../src/trace/trace.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { connectClient, connectTools, serverOf } from '../../support/open-tools.ts';
import { endTurn, says, toolCall, works } from '../../support/recorded-session.ts';
import { describedTo } from '../../support/tool-client.ts';

/** Each way, in a dialect where it is used. Programs of stdio are started sparingly. */
const cases = [
  ...dialectNames.map((dialect) => ['acp', dialect] as const),
  ...dialectNames.map((dialect) => ['http', dialect] as const),
  ['stdio', 'v1'] as const,
] satisfies readonly (readonly [ToolTransport, DialectName])[];

/** A turn in which the agent lists and calls a tool, with progress, and learns of a change of the tools. */
async function recorded(transport: ToolTransport, dialect: DialectName, trace: Partial<Trace> = {}) {
  const calls: unknown[] = [];
  const open: Tool = {
    description: 'Opens a file.',
    input: { type: 'object', properties: { path: { type: 'string' } } },
    run: (input, { progress }) => {
      calls.push(input);
      progress({ progress: 1, total: 2 });
      return 'Opened.';
    },
  };
  const editor = serverOf({ open_file: open }, transport);
  const recording = recordTraffic();
  const { agent, connection } = await connectTools({
    dialect,
    connect: { trace: { ...recording, ...trace } },
    script: (scripted) => scripted.on('session/prompt', works(dialect)),
  });
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  let changes = 0;
  const onChanged = () => {
    changes++;
  };
  const client = await connectClient(agent, describedTo(agent), 'modern', {
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
  });
  const turn = session.prompt('Open it.');
  const { id } = await agent.called('session/prompt');
  const onprogress = () => {};
  await client.callTool({ name: 'open_file', arguments: { path: '/a.ts' } }, { onprogress });
  await editor.addTool('second', { description: '2', run: () => '2' });
  await eventually(() => changes).toBe(1);
  const { sessionUpdate: _, ...done } = toolCall(dialect, { status: 'completed' });
  agent.update('s1', { sessionUpdate: 'tool_call_update', ...done }, says(' Done.'));
  endTurn(dialect, agent, id);
  await turn;
  const live = session.conversation;
  await session.close();
  await connection.close();
  const text = recording.toString();
  const messages = readRecords(text).flatMap(({ dir, msg }) => (isJsonObject(msg) ? [{ dir, msg }] : []));
  return { editor, calls, live, text, messages, description: describedTo(agent) };
}

/** The secrets of a description: the values of its headers and variables. */
function secretsOf(description: JsonObject): readonly string[] {
  const pairs = (description['headers'] ?? description['env'] ?? []) as readonly { readonly value: string }[];
  return pairs.map(({ value }) => value.replace(/^Bearer /, '')).filter((value) => value.length >= 8);
}

describe.each(cases)('over %s, in %s', (transport, dialect) => {
  test('a recording has each call once and no token, and folds and plays to the same transcript', async () => {
    const { editor, calls, live, text, messages, description } = await recorded(transport, dialect);
    for (const secret of secretsOf(description)) expect(text).not.toContain(secret);
    expect(secretsOf(description).length).toBeGreaterThanOrEqual(transport === 'acp' ? 0 : 1);
    const notes = messages.filter(({ msg }) => msg['method'] === '$/tool');
    const call = { server: 'editor', sessionId: 's1', call: 1 };
    const result = { content: [{ type: 'text', text: 'Opened.' }] };
    expect(notes.map(({ dir, msg: { params } }) => ({ dir, params }))).toEqual(
      transport === 'acp'
        ? []
        : [
            { dir: 'in', params: { ...call, tool: 'open_file', arguments: { path: '/a.ts' } } },
            { dir: 'out', params: { ...call, result } },
          ],
    );
    const overAcp = messages.filter(
      ({ msg: { params } }) => isJsonObject(params) && params['method'] === 'tools/call',
    );
    expect(overAcp).toHaveLength(transport === 'acp' ? 1 : 0);

    const { sessions, diagnostics } = await foldTraffic(text);
    expect(sessions.map(({ conversation }) => conversation)).toEqual([live]);
    // Each recording of version 2 says that it is a draft.
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);

    expect(calls).toHaveLength(1);
    const again = recordTraffic();
    const connection = await connect(playback(text), {
      clientInfo: { name: 'test', version: '0' },
      onDiagnostic() {},
      trace: again,
    });
    const session = await connection.newSession({ cwd, mcpServers: [editor] });
    await session.prompt('Open it.');
    expect(session.conversation).toEqual(live);
    await session.close();
    await connection.close();
    // A tool does not run again: what it returned is in the recording.
    expect(calls).toHaveLength(1);
    const asked = messages.filter(
      ({ dir, msg }) => dir === 'in' && msg['method'] === 'mcp/message' && msg['id'] !== undefined,
    );
    const answered = readRecords(again.toString()).filter(
      ({ dir, msg }) => dir === 'out' && isJsonObject(msg) && isJsonObject(msg['error']),
    );
    expect(answered).toHaveLength(asked.length);
  });
});

test('the limit of the length of texts holds for notes', async () => {
  const recording = recordTraffic();
  const { agent, connection } = await connectTools({
    connect: { trace: { write: (record) => recording.write(record), maxTextLength: 2000 } },
  });
  const long: Tool = { description: 'x', run: () => 'x'.repeat(100_000) };
  await connection.newSession({ cwd, mcpServers: [serverOf({ long }, 'http')] });
  const client = await connectClient(agent, describedTo(agent));
  const { content } = await client.callTool({ name: 'long' });
  expect(content).toEqual([{ type: 'text', text: 'x'.repeat(100_000) }]);
  expect(recording.toString()).toContain('more characters were left out of this trace');
  expect(recording.toString().length).toBeLessThan(20_000);
});

test('notes are redacted: secrets that the agent got, and the fields that carry secrets', async () => {
  const recording = recordTraffic();
  const { agent, connection } = await connectTools({ connect: { trace: recording } });
  const env: Tool = {
    description: 'x',
    run: () => ({ structuredContent: { env: [{ name: 'KEY', value: 'top-secret-value' }] } }),
  };
  await connection.newSession({ cwd, mcpServers: [serverOf({ env }, 'http')] });
  const description = describedTo(agent);
  const [token = ''] = secretsOf(description);
  const client = await connectClient(agent, description);
  await client.callTool({ name: 'env', arguments: { token: `the token ${token}` } });
  expect(recording.toString()).not.toContain(token);
  expect(recording.toString()).toContain('the token [redacted]');
  expect(recording.records.at(-1)?.msg).toMatchObject({
    method: '$/tool',
    params: { result: { structuredContent: { env: [{ name: 'KEY', value: '[redacted]' }] } } },
  });
});
