import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';
import { messages } from '../../support/open-session.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';

const sessionId = 's1';
const last = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'last' } };

/** A value with many characters, members or levels, written as JSON. Writing a deep one as a value would fail. */
const values: readonly Giant['value'][] = [
  { name: 'letters', json: (size) => `"${'a'.repeat(size)}"` },
  { name: 'escapes', json: (size) => `"${'\\"'.repeat(size / 2)}"` },
  { name: 'backslashes', json: (size) => `"${'\\\\'.repeat(size / 2)}"` },
  { name: 'code points', json: (size) => `"${'\\u00e9'.repeat(size / 6)}"` },
  { name: 'lines', json: (size) => `"${'\\n'.repeat(size / 2)}"` },
  { name: 'an open string', json: (size) => `"${'a'.repeat(size)}` },
  { name: 'digits', json: (size) => '1'.repeat(size) },
  { name: 'a wide array', json: (size) => `[0${',0'.repeat(size / 2)}]` },
  { name: 'a wide object', json: (size) => `{"a":0${',"a":0'.repeat(size / 6)}}` },
  { name: 'a deep array', json: (size) => `${'['.repeat(size / 2)}${']'.repeat(size / 2)}` },
  { name: 'a deep object', json: (size) => `${'{"a":'.repeat(size / 6)}0${'}'.repeat(size / 6)}` },
  { name: 'open brackets', json: (size) => '['.repeat(size) },
];

const update = (json: string, session = `"${sessionId}"`) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${session},"update":${json}}}`;

/** The messages that a value stands in. */
const messageKinds: readonly Giant['message'][] = [
  { name: 'sessionId', line: (json) => update('{}', json) },
  { name: 'update', line: (json) => update(json) },
  {
    name: 'toolCallId',
    line: (json) => update(`{"sessionUpdate":"tool_call","title":"x","toolCallId":${json}}`),
  },
  {
    name: 'rawInput',
    line: (json) => update(`{"sessionUpdate":"tool_call","title":"x","toolCallId":"t","rawInput":${json}}`),
  },
  {
    name: 'params before method',
    line: (json) => `{"params":{"sessionId":${json}},"method":"session/update","jsonrpc":"2.0"}`,
  },
  { name: 'id', line: (json) => `{"jsonrpc":"2.0","id":${json},"method":"_x","params":{}}` },
  { name: 'method', line: (json) => `{"jsonrpc":"2.0","id":1,"method":${json},"params":{}}` },
  { name: 'result', line: (json) => `{"jsonrpc":"2.0","id":1,"result":${json}}` },
  { name: 'error', line: (json) => `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":${json}}}` },
  { name: 'no message', line: (json) => json },
];

/** A line, and whether it comes in one chunk or in many. */
interface Giant {
  readonly value: { readonly name: string; readonly json: (size: number) => string };
  readonly message: { readonly name: string; readonly line: (json: string) => string };
  readonly size: number;
  readonly chunkBytes: number;
}

/** Every value in every message. Stacks overflow at some length between those of short lines and the limit of a line. */
function giants(mebibytes: number): readonly Giant[] {
  const size = Math.floor((mebibytes * 2 ** 20) / 6) * 6;
  const chunks = [64 * 1024, 2 ** 20, Number.POSITIVE_INFINITY];
  return messageKinds.flatMap((message, row) =>
    values.map((value, column) => {
      const chunkBytes = chunks[(row + column) % chunks.length] ?? size;
      return { value, message, size, chunkBytes };
    }),
  );
}

/** Sends giant lines to a whole connection. Fails if one throws, or if the line after them does not arrive. */
async function surviveGiants(giants: readonly Giant[]): Promise<void> {
  const thrown: Diagnostic[] = [];
  const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId });
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'fuzz', version: '0' },
    onDiagnostic: (diagnostic) => {
      if (diagnostic.rule === 'client.failed') thrown.push(diagnostic);
    },
    handlers: { extensions: { _x: () => null, _flush: () => null } },
  });
  const session = await connection.newSession({ cwd: '/home/user/project' });
  for (const { value, message, size, chunkBytes } of giants) {
    const bytes = Buffer.from(`${message.line(value.json(size))}\n`);
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      agent.channel.write(bytes.subarray(start, start + chunkBytes));
      await new Promise(setImmediate);
    }
  }
  agent.update(sessionId, last);
  await agent.request('_flush');
  const heard = messages(session.conversation).flatMap(({ content }) => content);
  expect(heard).toContainEqual(last.content);
  await connection.close();
  expect(thrown).toEqual([]);
}

test('lines of many megabytes, with long, wide and deep values, do no harm', async () => {
  const unhandled = unhandledErrors();
  const lines = giants(10);
  for (const line of lines) await surviveGiants([line]);
  expect(unhandled).toEqual([]);
  console.log(`${lines.length} lines of 10 MiB`);
}, 3600_000);
