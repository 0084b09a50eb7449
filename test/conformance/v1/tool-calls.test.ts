import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { text } from '../../support/agents.ts';
import { foldedIn, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';

const update = (toolCallId: string, fields: object = {}) => toolCallUpdate(fields, toolCallId);
const call = (toolCallId: string, fields: object = {}) => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'Run',
  ...fields,
});

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
  { optionId: 'never', name: 'Not here', kind: 'reject_once' },
];
const ask = (toolCall: object, more: object = {}) =>
  ({ sessionId: 's1', toolCall, options, ...more }) as JsonObject;

const folded = async (...updates: readonly object[]) =>
  toolCalls((await foldedIn('v1', ...updates)).conversation);

test('[37] [agents: repeated-kinds] v1 the selected option is sent as the answer to a permission request, also beside another of its kind', async () => {
  const { agent, conversation } = await openSession('v1', {
    handlers: {
      requestPermission: ({ options: offered, toolCall }) => {
        expect(toolCall?.permission?.options).toEqual(options);
        return {
          outcome: 'selected',
          optionId: offered.findLast(({ kind }) => kind === 'reject_once')?.optionId ?? '',
        };
      },
    },
  });
  const { result } = await agent.request('session/request_permission', ask({ toolCallId: 't1' }));
  expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'never' } });
  expect(toolCalls(conversation())[0]?.permission).toBeNull();
});

test('[39] v1 malformed permission requests are answered -32602', async () => {
  const { agent } = await openSession('v1', { handlers: { requestPermission: () => expect.unreachable() } });
  for (const params of [
    { sessionId: 's1' },
    ask({}),
    { ...ask({}), toolCall: 5 },
    { ...ask({ toolCallId: 't' }), options: 'some' },
  ]) {
    const { error } = await agent.request('session/request_permission', params);
    expect(error?.code).toBe(-32602);
  }
});

test.each([undefined, null])('[49] v1 a field that is %s keeps what is there', async (value) => {
  const fields = {
    title: 'Read a.txt',
    name: 'read_file',
    kind: 'read',
    status: 'in_progress',
    content: [{ type: 'content', content: text('x') }],
    locations: [{ path: '/a', line: 3 }],
    rawInput: { a: 1 },
    rawOutput: 'o',
  };
  const cleared = Object.fromEntries(Object.keys(fields).map((key) => [key, value]));
  const [before] = await folded(call('t1', fields));
  const [after] = await folded(call('t1', fields), update('t1', cleared));
  expect(after).toEqual(before);
});

test('[49] v1 content and locations are replaced, also by empty lists', async () => {
  const content = (said: string) => [{ type: 'content', content: text(said) }];
  const [replaced] = await folded(
    call('t1', { content: content('a'), locations: [{ path: '/a' }, { path: '/b' }] }),
    update('t1', { content: content('b'), locations: [{ path: '/c' }] }),
  );
  expect(replaced).toMatchObject({ content: content('b'), locations: [{ path: '/c' }] });
  const [emptied] = await folded(call('t1', { content: content('a') }), update('t1', { content: [] }));
  expect(emptied?.content).toEqual([]);
});

test('[49] v1 an update with an unknown id adds the tool call, and tool_call completes it', async () => {
  const [entry] = await folded(
    update('t1', { status: 'in_progress' }),
    call('t1', { kind: 'edit', status: 'pending' }),
  );
  expect(entry).toMatchObject({ title: 'Run', toolKind: 'edit', status: 'in_progress' });
});

test('[49] v1 the default kind is other, the default status pending', async () => {
  expect(await folded(call('t1'))).toMatchObject([
    {
      toolKind: 'other',
      status: 'pending',
      content: [],
      locations: [],
      capabilities: null,
      permission: null,
    },
  ]);
});

test('[agents: permission-unannounced] v1 the tool call of a permission request is applied before the user is asked', async () => {
  const { agent, conversation } = await openSession('v1', {
    handlers: {
      requestPermission: ({ title, toolCall }) => {
        expect(title).toBe('Delete everything');
        expect(toolCall).toMatchObject({
          title: 'Delete everything',
          toolKind: 'delete',
          status: 'in_progress',
        });
        return { outcome: 'cancelled' };
      },
    },
  });
  agent.update('s1', call('t1', { status: 'in_progress' }));
  await agent.request(
    'session/request_permission',
    ask({ toolCallId: 't1', title: 'Delete everything', kind: 'delete' }),
  );
  await agent.request(
    'session/request_permission',
    ask({ toolCallId: 't2', title: 'Delete everything', kind: 'delete', status: 'in_progress' }),
  );
  expect(outline(conversation())).toEqual(['t1: in_progress', 't2: in_progress']);
});
