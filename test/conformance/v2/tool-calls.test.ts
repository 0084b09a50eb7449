import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { text } from '../../support/agents.ts';
import {
  deliver,
  flush,
  foldedIn,
  openSession,
  outline,
  sent,
  toolCalls,
} from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';

const update = (toolCallId: string, fields: object = {}) => toolCallUpdate(fields, toolCallId);
const item = (said: string) => ({ type: 'content', content: text(said) });
const terminal = (terminalId: string, fields: object = {}) => ({
  sessionUpdate: 'terminal_update',
  terminalId,
  ...fields,
});
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString('base64');
const output = (terminalId: string, bytes: Uint8Array | string) => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId,
  data: base64(bytes),
});

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: '_later' },
];
const ask = (more: object = {}) => ({ sessionId: 's1', title: 'May I?', options, ...more }) as JsonObject;

const folded = async (...updates: readonly object[]) =>
  (await foldedIn('v2-baseline', ...updates)).conversation;

/** What can be cancelled alone: how it is reported, and how it is cancelled. */
const cancellable = [
  {
    method: 'tool_call/cancel',
    report: (fields: object) => update('x', fields),
    params: { sessionId: 's1', toolCallId: 'x' },
    cancel: (session: Session, id: string) => session.cancelToolCall(id),
  },
  {
    method: 'terminal/cancel',
    report: (fields: object) => terminal('x', fields),
    params: { sessionId: 's1', terminalId: 'x' },
    cancel: (session: Session, id: string) => session.cancelTerminal(id),
  },
];

test.each(cancellable)('[23] v2 $method is sent only while that part offers it', async (row) => {
  const { method, report, params, cancel } = row;
  const { agent, connection, session } = await openSession('v2-baseline', { answers: { [method]: {} } });
  const reports = async (fields: object) => {
    await deliver(agent, report(fields));
  };
  const refused = (why: string) => ({
    ...{ code: 'usage.capability', method, message: expect.stringContaining(`separately: ${why}.`) },
    missing: [{ feature: method, path: 'capabilities.cancel' }],
  });
  for (const id of ['never-seen', 'constructor'])
    await expect(cancel(session, id)).rejects.toMatchObject(refused('the session has none with this id'));
  for (const capabilities of [undefined, null, {}, { cancel: null }, { cancel: true }, 'all']) {
    await reports({ status: 'in_progress', capabilities });
    await expect(cancel(session, 'x')).rejects.toMatchObject(refused('it does not offer that now'));
    await expect(connection.request(method, params)).rejects.toMatchObject({ code: 'usage.capability' });
  }
  const elsewhere = { ...params, sessionId: 's2' };
  await expect(connection.request(method, elsewhere)).rejects.toMatchObject({ code: 'usage.state' });
  await reports({ capabilities: { cancel: {} } });
  await cancel(session, 'x');
  // What is left out stays, and null takes it away.
  await reports({ status: 'paused' });
  await connection.request(method, params);
  await reports({ capabilities: null });
  await expect(cancel(session, 'x')).rejects.toMatchObject(refused('it does not offer that now'));
  expect(sent(agent).map((call) => [call.method, call.params])).toEqual([
    [method, params],
    [method, params],
  ]);
});

test('[37] v2 a permission request may have any options', async () => {
  const { agent } = await openSession('v2-baseline', {
    handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'no' }) },
  });
  const { result } = await agent.request('session/request_permission', ask());
  expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
  const none = await agent.request('session/request_permission', ask({ options: [] }));
  expect(none.error?.code).toBe(-32602);
});

test('[40] v2 the tool call of a permission request is applied before the user is asked', async () => {
  const { agent, conversation } = await openSession('v2-baseline', {
    handlers: {
      requestPermission: ({ title, description, toolCall }) => {
        expect([title, description]).toEqual(['May I?', 'It is needed.']);
        expect(toolCall).toMatchObject({
          toolCallId: 't1',
          title: 'Write',
          status: 'pending',
          toolKind: 'edit',
        });
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
  });
  agent.update('s1', update('t1', { title: 'Write', status: 'in_progress' }));
  await agent.request(
    'session/request_permission',
    ask({
      description: 'It is needed.',
      subject: { type: 'tool_call', toolCall: { toolCallId: 't1', kind: 'edit', status: null } },
    }),
  );
  // The request's own title says nothing of the tool call's.
  expect(toolCalls(conversation())).toMatchObject([{ title: 'Write', toolKind: 'edit', status: 'pending' }]);
});

test('[40] v2 the tool call of a permission request is applied in the order of the messages', async () => {
  const { agent, conversation } = await openSession('v2-baseline', {
    handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'yes' }) },
  });
  const subject = { type: 'tool_call', toolCall: { toolCallId: 't1', title: 'from the request' } };
  const asked = agent.request('session/request_permission', ask({ subject }));
  agent.update('s1', update('t1', { title: 'from the update after it' }));
  await asked;
  await flush(agent);
  expect(toolCalls(conversation())).toMatchObject([{ title: 'from the update after it' }]);
});

test.each([
  ['none', undefined, null],
  ['null', null, null],
  ['unknown', { type: '_vendor', what: 'x' }, { type: '_vendor', what: 'x' }],
  ['a command', { type: 'command', command: 'ls', cwd: '/' }, { type: 'command', command: 'ls', cwd: '/' }],
])('[40] v2 a subject that is %s is accepted', async (_, subject, expected) => {
  const { agent, conversation } = await openSession('v2-baseline', {
    handlers: {
      requestPermission: (request) => {
        expect(request).toMatchObject({ title: 'May I?', toolCall: null, subject: expected });
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
  });
  const { result } = await agent.request(
    'session/request_permission',
    ask({ ...(subject !== undefined && { subject }) }),
  );
  expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  expect(conversation().entries).toEqual([]);
});

test('[49] v2 omitted keeps, null clears, a value replaces', async () => {
  const full = {
    name: 'read_file',
    title: 'Read',
    kind: 'read',
    status: 'in_progress',
    content: [item('x')],
    locations: [{ path: '/a' }],
    rawInput: { a: 1 },
    rawOutput: 'o',
    capabilities: { cancel: {} },
  };
  const [before] = toolCalls(await folded(update('t1', full)));
  expect(toolCalls(await folded(update('t1', full), update('t1')))).toEqual([before]);
  const nulls = Object.fromEntries(Object.keys(full).map((key) => [key, null]));
  const [cleared] = toolCalls(await folded(update('t1', full), update('t1', nulls)));
  expect(cleared).toEqual({
    kind: 'toolCall',
    key: before?.key,
    toolCallId: 't1',
    title: null,
    name: null,
    toolKind: 'other',
    status: 'pending',
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin: 'live',
    meta: null,
  });
  const [replaced] = toolCalls(
    await folded(update('t1', full), update('t1', { content: [item('y')], rawInput: [] })),
  );
  expect(replaced).toMatchObject({ content: [item('y')], rawInput: [], rawOutput: 'o' });
});

test('[51] v2 an unknown id adds a tool call or terminal, by update or by chunk', async () => {
  const conversation = await folded(
    {
      sessionUpdate: 'tool_call_content_chunk',
      toolCallId: 't1',
      content: { type: 'terminal', terminalId: 'x' },
    },
    output('x', 'early '),
    update('t2', { content: [{ type: 'terminal', terminalId: 'y' }] }),
    terminal('x', { command: 'make', cwd: '/w' }),
    output('x', 'late'),
  );
  expect(outline(conversation)).toEqual(['t1: pending', 't2: pending']);
  expect(Object.keys(conversation.terminals)).toEqual(['x']);
  expect(conversation.terminals['x']).toMatchObject({ command: 'make', cwd: '/w', exitStatus: null });
  expect(conversation.terminals['x']?.output).toBe('early late');
});

test('[51] v2 chunks append to content, and content replaces them', async () => {
  const chunk = (said: string) => ({
    sessionUpdate: 'tool_call_content_chunk',
    toolCallId: 't1',
    content: item(said),
  });
  const [entry] = toolCalls(
    await folded(chunk('a'), chunk('b'), update('t1', { content: [item('c')] }), chunk('d')),
  );
  expect(entry?.content).toEqual([item('c'), item('d')]);
});

test('[52] v2 output replaces all bytes, and chunks append to it', async () => {
  const { terminals } = await folded(
    output('x', 'old'),
    terminal('x', { output: { data: base64('new') } }),
    output('x', 'er'),
    terminal('x', { exitStatus: { exitCode: 0 }, size: { cols: 80, rows: 24 } }),
  );
  expect(terminals['x']?.output).toBe('newer');
  expect(terminals['x']).toMatchObject({ exitStatus: { exitCode: 0 }, size: { cols: 80, rows: 24 } });
  const cleared = await folded(output('x', 'old'), terminal('x', { output: null, exitStatus: null }));
  expect(cleared.terminals['x']).toMatchObject({ output: '', exitStatus: null });
});

test('[52] v2 each chunk is decoded separately, and a character may be split between two', async () => {
  const bytes = Buffer.from('a\u00e9\ud83d\ude80\u001b[0m');
  const chunks = [...bytes].map((byte) => output('x', Uint8Array.of(byte)));
  const { terminals } = await folded(...chunks);
  expect(terminals['x']?.output).toBe('a\u00e9\ud83d\ude80\u001b[0m');
});

test('[52] v2 output after the exit is appended', async () => {
  const { terminals } = await folded(
    terminal('x', { exitStatus: { signal: 'SIGTERM' } }),
    output('x', 'last words'),
  );
  expect(terminals['x']?.output).toBe('last words');
  expect(terminals['x']?.exitStatus).toEqual({ signal: 'SIGTERM' });
});

test('v2 numbers may be larger than 32 bits, and exit codes negative', async () => {
  const link = { type: 'resource_link', uri: 'file:///huge.bin', name: 'huge.bin', size: 2 ** 40 };
  const { terminals, usage, entries } = await folded(
    terminal('a', { exitStatus: { exitCode: -1_073_741_510 } }),
    terminal('b', { exitStatus: { exitCode: 2 ** 40 } }),
    { sessionUpdate: 'usage_update', used: 2 ** 33, size: 2 ** 64 - 1 },
    { sessionUpdate: 'agent_message', messageId: 'm1', content: [link] },
  );
  expect(Object.values(terminals).map(({ exitStatus }) => exitStatus?.exitCode)).toEqual([
    -1_073_741_510,
    2 ** 40,
  ]);
  expect(usage).toMatchObject({ used: 2 ** 33, size: 2 ** 64 - 1 });
  expect(entries).toMatchObject([{ content: [link] }]);
});

test.each([undefined, null, { format: 'git_patch', text: 'diff --git a/a b/a\n' }])(
  '[57] v2 a diff with the patch %j is read',
  async (patch) => {
    const changes = [
      { operation: 'modify', path: '/a' },
      { operation: 'move', oldPath: '/b', path: '/c' },
      { operation: 'delete', path: '/d' },
      { operation: '_chmod', mode: 7 },
    ];
    const diff = { type: 'diff', changes, ...(patch !== undefined && { patch }) };
    const [entry] = toolCalls(await folded(update('t1', { content: [diff] })));
    expect(entry?.content).toMatchObject([{ type: 'diff', patch: patch ?? null, changes }]);
  },
);
