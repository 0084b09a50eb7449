import { expect, test } from 'vitest';
import type { Conversation, MessageEntry } from '../../../src/core/model/conversation.ts';
import { text } from '../../support/agents.ts';
import { deliver, foldedIn, messages, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { says, toolCallUpdate } from '../../support/updates.ts';

const folded = (...updates: readonly object[]) => foldedIn('v2-baseline', ...updates);

test('[42] v2 unknown requests and those of version 1 are answered -32601', async () => {
  const { agent } = await openSession('v2-baseline', {
    handlers: { readTextFile: () => ({ content: '' }), writeTextFile: () => {} },
  });
  for (const method of ['_vendor/ask', 'fs/read_text_file', 'fs/write_text_file', 'terminal/create']) {
    const { error } = await agent.request(method, { sessionId: 's1', path: '/a', content: '' });
    expect(error?.code, method).toBe(-32601);
  }
});

const ofEntry = ({ entries }: Conversation) => (entries[0] as MessageEntry).meta;

test.each<[what: string, update: object, metaOf: (conversation: Conversation) => unknown]>([
  ['a message', { sessionUpdate: 'agent_message', messageId: 'm' }, ofEntry],
  ['a tool call', toolCallUpdate({}, 't'), ofEntry],
  ['a compaction', { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' }, ofEntry],
  [
    'a terminal',
    { sessionUpdate: 'terminal_update', terminalId: 'x' },
    ({ terminals }) => terminals['x']?.meta,
  ],
  ['the session', { sessionUpdate: 'session_info_update' }, ({ meta }) => meta],
])('[53] v2 _meta of %s is merged by key', async (_, update, metaOf) => {
  const meta = async (...patches: unknown[]) => {
    const { conversation } = await folded(
      ...patches.map((patch) => ({ ...update, ...(patch !== undefined && { _meta: patch }) })),
    );
    return metaOf(conversation);
  };
  expect(await meta({ a: 1, b: { x: 1, y: null } })).toEqual({ a: 1, b: { x: 1, y: null } });
  expect(await meta({ a: 1, b: 1 }, undefined)).toEqual({ a: 1, b: 1 });
  expect(await meta({ a: 1, b: { x: 1 } }, { b: { y: 2 }, c: 3 })).toEqual({ a: 1, b: { y: 2 }, c: 3 });
  expect(await meta({ a: 1, b: 1 }, { a: null })).toEqual({ b: 1 });
  expect(await meta({ a: 1 }, null)).toBeNull();
  expect(await meta({ a: 1 }, 'nonsense')).toEqual({ a: 1 });
});

test('[53] v2 _meta of a chunk is not merged', async () => {
  const { conversation } = await folded(
    { sessionUpdate: 'agent_message', messageId: 'm', _meta: { a: 1 } },
    { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: text('x'), _meta: { a: 2, b: 2 } },
    toolCallUpdate({ _meta: { a: 1 } }, 't'),
    {
      sessionUpdate: 'tool_call_content_chunk',
      toolCallId: 't',
      content: { type: 'content', content: text('x') },
      _meta: { a: 2 },
    },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: 'eA==', _meta: { a: 2 } },
  );
  expect(messages(conversation)[0]?.meta).toEqual({ a: 1 });
  expect(toolCalls(conversation)[0]?.meta).toEqual({ a: 1 });
  expect(conversation.terminals['x']?.meta).toBeNull();
});

test.each(['_vendor_thing', 'from_the_future', 'plan', 'tool_call', 'current_mode_update', 'constructor'])(
  '[54] v2 the unknown update %s is kept unchanged',
  async (sessionUpdate) => {
    const strange = { sessionUpdate, toolCallId: 't', payload: { deep: [1] }, _meta: null };
    const { conversation, diagnostics } = await folded(strange);
    expect(conversation.entries).toMatchObject([{ kind: 'unknown', tag: sessionUpdate, raw: strange }]);
    expect(diagnostics).toEqual([]);
  },
);

test('[54] v2 unknown blocks, kinds, statuses, severities and states are kept', async () => {
  const { conversation } = await folded(
    { sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: '_x', y: 1 }, { type: 'hologram' }] },
    toolCallUpdate({ kind: 'teleport', status: '_half', content: [{ type: '_z', q: 2 }] }, 't'),
    { sessionUpdate: 'compaction_update', compactionId: 'c', status: '_odd' },
  );
  expect(conversation.entries).toMatchObject([
    { content: [{ type: '_x', y: 1 }, { type: 'hologram' }] },
    { toolKind: 'teleport', status: '_half', content: [{ type: '_z', q: 2 }] },
    { status: '_odd' },
  ]);
});

test('[54] v2 only the malformed update is dropped, with a diagnostic', async () => {
  const { conversation, diagnostics } = await folded(
    says('a', 'm'),
    says('no id'),
    { sessionUpdate: 'agent_message', messageId: null, content: [] },
    { sessionUpdate: 'tool_call_update', toolCallId: null },
    { sessionUpdate: 'tool_call_content_chunk', toolCallId: 't' },
    { sessionUpdate: 'state_update' },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: 5 },
    says('b', 'm'),
  );
  expect(outline(conversation)).toEqual(['agent: ab']);
  expect(conversation).toMatchObject({ terminals: {}, activity: { state: 'idle' } });
  expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(6).fill('protocol.malformed_update'));
});

test('[54] v2 a malformed optional field is read as absent', async () => {
  const { conversation } = await folded(
    toolCallUpdate({ title: 'Kept', locations: [{ path: '/a' }] }, 't'),
    toolCallUpdate({ title: 7, status: {}, locations: [{ line: 1 }, { path: '/b', line: -4 }] }, 't'),
  );
  // A location of a tool call stays visible: a rule of permissions must not decide as if it were not there.
  const locations = [{ path: '{"line":1}' }, { path: '/b' }];
  expect(toolCalls(conversation)).toMatchObject([{ title: 'Kept', status: 'pending', locations }]);
});

test('[49,54] v2-markers fields of the draft are read', async () => {
  const { agent, conversation, diagnostics } = await openSession('v2-markers');
  await deliver(
    agent,
    {
      sessionUpdate: 'plan_update',
      plan: { type: 'items', id: 'p1', entries: [{ content: 'Look', priority: 'high', status: 'pending' }] },
    },
    {
      sessionUpdate: 'config_option_update',
      configOptions: [
        {
          id: 'model',
          name: 'Model',
          type: 'select',
          currentValue: 'a',
          options: [{ value: 'a', name: 'A' }],
        },
      ],
    },
    toolCallUpdate({ content: [{ type: 'diff', path: '/a', oldText: null, newText: 'x' }] }),
  );
  expect(conversation()).toMatchObject({
    plans: [{ planId: 'p1', entries: [{ content: 'Look' }] }],
    configOptions: [{ configId: 'model' }],
    entries: [{ content: [{ type: 'diff', changes: [{ operation: 'add', path: '/a', newText: 'x' }] }] }],
  });
  expect(diagnostics).toEqual([]);
});
