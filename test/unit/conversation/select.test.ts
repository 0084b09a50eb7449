import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedEntries, findToolCall, pathsOf, textOf } from '../../../src/core/conversation/select.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { ConfigOption } from '../../../src/core/model/session.ts';
import { createConversationStore, emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';
import { toolCall as call, conversation, message, text } from '../render/example.ts';

test('textOf joins the text blocks of a message', () => {
  const image = { type: 'image', mimeType: 'image/png', data: '' } as const;
  expect(textOf(message('agent', text('one '), image, text('two')))).toBe('one two');
  expect(textOf(message('agent', image))).toBe('');
});

test('toolCall finds a tool call by its id, and not the properties of Object.prototype', () => {
  const wanted = call({ toolCallId: 'call-2' });
  const { entries } = conversation({ entries: [message('user'), call({ toolCallId: 'call-1' }), wanted] });
  expect(findToolCall(conversation({ entries }), 'call-2')).toBe(wanted);
  expect(findToolCall(conversation({ entries }), 'constructor')).toBeUndefined();
});

test('pathsOf has the files of diffs, where they were before, and the locations, each once', () => {
  const changes = [
    { operation: 'move', path: '/b', oldPath: '/a' },
    { operation: 'modify', path: '/c' },
  ];
  const content = [
    { type: 'content', content: text('/not/a/path') },
    { type: 'diff', changes, patch: null },
  ] as const;
  const locations = [{ path: '/c', line: 3 }, { path: '/d' }];
  expect(pathsOf(call({ content, locations }))).toEqual(['/b', '/a', '/c', '/d']);
  expect(pathsOf(call({}))).toEqual([]);
});

/** The expected result: each entry that is not at the same index as before. */
function compared(previous: Conversation, next: Conversation) {
  return next.entries.filter((entry, index) => entry !== previous.entries[index]);
}

const id = fc.constantFrom('1', '2', '3', '4');
const update = fc.oneof(
  fc.tuple(id, fc.string({ maxLength: 2 })).map(
    ([messageId, text]): AnyUpdate => ({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: { type: 'text', text },
    }),
  ),
  fc.tuple(id, fc.constantFrom('a', 'b')).map(
    ([messageId, text]): AnyUpdate => ({
      sessionUpdate: 'user_message',
      messageId,
      content: [{ type: 'text', text }],
    }),
  ),
  id.map(
    (toolCallId): AnyUpdate => ({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'completed',
    }),
  ),
  id.map((key): AnyUpdate => ({ sessionUpdate: 'prompt_submitted', key, content: [] })),
  // A refused prompt is removed, and the entries after it move.
  id.map((key): AnyUpdate => ({ sessionUpdate: 'prompt_settled', key, accepted: false })),
  fc.constant<AnyUpdate>({ sessionUpdate: 'unfinished_cancelled' }),
);

test('changedEntries finds the difference between any two snapshots', () => {
  const steps = fc.array(fc.record({ update, takesSnapshot: fc.boolean() }), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (all) => {
      const store = createConversationStore(emptyConversation('s1'));
      const states = [store.getSnapshot()];
      for (const step of all) {
        store.apply(step.update);
        if (step.takesSnapshot) states.push(store.getSnapshot());
      }
      for (const previous of states) {
        for (const next of states) expect(changedEntries(previous, next)).toEqual(compared(previous, next));
      }
    }),
    { numRuns: runs(500) },
  );
});

test.each([undefined, null])('changedEntries returns all entries if nothing is drawn yet: %s', (nothing) => {
  const store = createConversationStore(emptyConversation('s1'));
  expect(changedEntries(nothing, store.getSnapshot())).toEqual([]);
  for (const messageId of ['1', '2']) {
    store.apply({ sessionUpdate: 'user_message', messageId, content: [{ type: 'text', text: 'Hi' }] });
  }
  const all = changedEntries(nothing, store.getSnapshot());
  expect(all).toEqual(store.getSnapshot().entries);
  expect(all).toHaveLength(2);
});

const models = {
  currentModelId: 'small',
  availableModels: [
    { modelId: 'small', name: 'Small', description: 'Fast' },
    { modelId: 'large', name: 'Large' },
  ],
};

function fold(...configOptions: readonly ConfigOption[]) {
  return foldUpdates(emptyConversation('s1'), [
    { sessionUpdate: 'models_update', models },
    { sessionUpdate: 'config_option_update', configOptions },
  ]);
}

test('the models of a session are a setting', () => {
  expect(settingsOf(fold())).toEqual([
    {
      settingId: 'model',
      name: 'Model',
      description: null,
      category: 'model',
      value: 'small',
      choices: [
        { value: 'small', name: 'Small', description: 'Fast', group: null },
        { value: 'large', name: 'Large', description: null, group: null },
      ],
    },
  ]);
});

test('a config option for the model replaces the models', () => {
  const option = { type: 'select', name: 'Model', currentValue: 'small', options: [] } as const;
  expect(settingsOf(fold({ ...option, configId: 'model' }))).toHaveLength(1);
  expect(settingsOf(fold({ ...option, configId: 'm', category: 'model' }))).toMatchObject([
    { settingId: 'm' },
  ]);
});

test('a conversation without models has no key for them', () => {
  expect(emptyConversation('s1')).not.toHaveProperty('models');
});
