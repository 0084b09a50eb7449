import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { text } from '../../support/agents.ts';
import { flush, openSession, outline, sent, toolCalls } from '../../support/open-session.ts';

const update = (toolCallId: string, fields: object = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});
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

async function folded(...updates: readonly object[]) {
  const { agent, conversation } = await openSession('v2-baseline');
  agent.update('s1', ...updates);
  await flush(agent);
  return conversation();
}

test('[23] v2 tool_call/cancel is sent only while that tool call offers it', async () => {
  const { agent, session } = await openSession('v2-baseline', {
    answers: { 'tool_call/cancel': {} },
  });
  const refused = { code: 'usage.capability', method: 'tool_call/cancel' };
  await expect(session.cancelToolCall('never-seen')).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('separately: the session has none with this id.'),
    missing: [{ feature: 'tool_call/cancel', path: 'capabilities.cancel', value: undefined }],
  });
  for (const capabilities of [undefined, null, {}, { cancel: null }, { cancel: true }, 'all']) {
    agent.update('s1', update('t1', { status: 'in_progress', capabilities }));
    await flush(agent);
    await expect(session.cancelToolCall('t1')).rejects.toMatchObject(refused);
  }
  agent.update('s1', update('t1', { capabilities: { cancel: {} } }), update('t2', { status: 'in_progress' }));
  await flush(agent);
  await expect(session.cancelToolCall('t2')).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('separately: it does not offer that now.'),
  });
  await session.cancelToolCall('t1');
  // What is left out stays, and null takes it away.
  agent.update('s1', update('t1', { status: 'paused' }));
  await flush(agent);
  await session.cancelToolCall('t1');
  agent.update('s1', update('t1', { capabilities: null }));
  await flush(agent);
  await expect(session.cancelToolCall('t1')).rejects.toMatchObject(refused);
  const call = { sessionId: 's1', toolCallId: 't1' };
  expect(sent(agent).map(({ method, params }) => [method, params])).toEqual([
    ['tool_call/cancel', call],
    ['tool_call/cancel', call],
  ]);
});

test('[23] v2 terminal/cancel is sent only while that terminal offers it', async () => {
  const { agent, session } = await openSession('v2-baseline', {
    answers: { 'terminal/cancel': {} },
  });
  const refused = { code: 'usage.capability', method: 'terminal/cancel' };
  await expect(session.cancelTerminal('constructor')).rejects.toMatchObject(refused);
  for (const capabilities of [undefined, null, {}, { cancel: null }, { cancel: true }]) {
    agent.update('s1', terminal('x', { capabilities }));
    await flush(agent);
    await expect(session.cancelTerminal('x')).rejects.toMatchObject(refused);
  }
  agent.update('s1', terminal('x', { capabilities: { cancel: {} } }));
  await flush(agent);
  await session.cancelTerminal('x');
  expect(sent(agent).map(({ method, params }) => [method, params])).toEqual([
    ['terminal/cancel', { sessionId: 's1', terminalId: 'x' }],
  ]);
});

test('[23] v2 raw requests need the same capabilities', async () => {
  const { agent, connection } = await openSession('v2-baseline', {
    answers: { 'tool_call/cancel': {}, 'terminal/cancel': {} },
  });
  const toolCall = { sessionId: 's1', toolCallId: 't1' };
  const shown = { sessionId: 's1', terminalId: 'x' };
  const refused = { code: 'usage.capability' };
  agent.update('s1', update('t1'), terminal('x'));
  await flush(agent);
  await expect(connection.request('tool_call/cancel', toolCall)).rejects.toMatchObject(refused);
  await expect(connection.request('terminal/cancel', shown)).rejects.toMatchObject(refused);
  const elsewhere = { sessionId: 's2', toolCallId: 't1' };
  await expect(connection.request('tool_call/cancel', elsewhere)).rejects.toMatchObject({
    code: 'usage.state',
  });
  expect(sent(agent)).toEqual([]);
  const capabilities = { cancel: {} };
  agent.update('s1', update('t1', { capabilities }), terminal('x', { capabilities }));
  await flush(agent);
  await connection.request('tool_call/cancel', toolCall);
  await connection.request('terminal/cancel', shown);
  expect(sent(agent).map(({ method }) => method)).toEqual(['tool_call/cancel', 'terminal/cancel']);
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

test('[39] v2 an option that was not offered is answered as cancelled', async () => {
  const { agent, diagnostics } = await openSession('v2-baseline', {
    handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'maybe' }) },
  });
  const { result } = await agent.request('session/request_permission', ask());
  expect(result).toEqual({ outcome: { outcome: 'cancelled' } });
  expect(diagnostics).toMatchObject([{ rule: 'handler.invalid_answer' }]);
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

test.each([[undefined], [null]])('[57] v2 a diff with the patch %s is read', async (patch) => {
  const diff = {
    type: 'diff',
    changes: [
      { operation: 'modify', path: '/a' },
      { operation: 'move', oldPath: '/b', path: '/c' },
      { operation: '_chmod', mode: 7 },
    ],
    ...(patch !== undefined && { patch }),
  };
  const [entry] = toolCalls(await folded(update('t1', { content: [diff] })));
  expect(entry?.content).toMatchObject([
    {
      type: 'diff',
      patch: null,
      changes: [{ path: '/a' }, { oldPath: '/b', path: '/c' }, { operation: '_chmod', mode: 7 }],
    },
  ]);
});

test('[57] v2 a diff with a patch keeps it', async () => {
  const patch = { format: 'git_patch', text: 'diff --git a/a b/a\n' };
  const diff = { type: 'diff', changes: [{ operation: 'delete', path: '/a' }], patch };
  const [entry] = toolCalls(await folded(update('t1', { content: [diff] })));
  expect(entry?.content).toMatchObject([{ patch }]);
});
