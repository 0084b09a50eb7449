import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { isJsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { Trace } from '../../../src/core/trace/trace.ts';
import type { Tool, ToolTransport } from '../../../src/entries/tools.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback, readRecords } from '../../../src/records/recording/playback.ts';
import { recordTraffic } from '../../../src/records/recording/record-traffic.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { openTools } from '../../support/open-tools.ts';
import { endTurn, says, toolCall, works } from '../../support/recorded-session.ts';
import { tokenOf } from '../../support/tool-client.ts';

/** Calls over the connection are a part of its recording. Those over another one are notes in it. */
const cases = [
  ['acp', 'v1'],
  ['acp', 'v2-baseline'],
  ['http', 'v1'],
  ['http', 'v2-baseline'],
] as const satisfies readonly (readonly [ToolTransport, DialectName])[];

/** A turn in which the agent lists and calls a tool, with progress, and learns of a change of the tools. */
async function recorded(transport: ToolTransport, dialect: DialectName) {
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
  const recording = recordTraffic();
  let changes = 0;
  const onChanged = () => {
    changes++;
  };
  const { agent, connection, session, editor, client, server } = await openTools(
    { open_file: open },
    {
      transport,
      dialect,
      connect: { trace: recording },
      script: (scripted) => scripted.on('session/prompt', works(dialect)),
      client: { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
    },
  );
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
  return { editor, calls, live, text, messages, token: tokenOf(server) };
}

describe.each(cases)('over %s, in %s', (transport, dialect) => {
  test('a recording has each call once and no token, and folds and plays to the same transcript', async () => {
    const { editor, calls, live, text, messages, token } = await recorded(transport, dialect);
    expect(text).not.toContain(token);
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
  const long: Tool = { description: 'x', run: () => 'x'.repeat(100_000) };
  const trace: Trace = { write: (record) => recording.write(record), maxTextLength: 2000 };
  const { client } = await openTools({ long }, { transport: 'http', connect: { trace } });
  const { content } = await client.callTool({ name: 'long' });
  expect(content).toEqual([{ type: 'text', text: 'x'.repeat(100_000) }]);
  expect(recording.toString()).toContain('more characters were left out of this trace');
  expect(recording.toString().length).toBeLessThan(20_000);
});

test('notes are redacted: secrets that the agent got, and the fields that carry secrets', async () => {
  const recording = recordTraffic();
  const env: Tool = {
    description: 'x',
    run: () => ({ structuredContent: { env: [{ name: 'KEY', value: 'top-secret-value' }] } }),
  };
  const { client, server } = await openTools({ env }, { transport: 'http', connect: { trace: recording } });
  const token = tokenOf(server);
  await client.callTool({ name: 'env', arguments: { token: `the token ${token}` } });
  expect(recording.toString()).not.toContain(token);
  expect(recording.toString()).toContain('the token [redacted]');
  expect(recording.records.at(-1)?.msg).toMatchObject({
    method: '$/tool',
    params: { result: { structuredContent: { env: [{ name: 'KEY', value: '[redacted]' }] } } },
  });
});
