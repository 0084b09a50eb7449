import { describe, expect, it } from 'vitest';
import { v1 } from '../../../src/core/protocol/v1/index.ts';

const normalized = (update: unknown) => v1.normalize(update).update;

describe('an update of version 1', () => {
  it('is handed on without a copy where it says the same', () => {
    const chunk = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'a' },
      _meta: { k: 1 },
    };
    expect(normalized(chunk)).toBe(chunk);
  });

  it('has diffs that add a file only where there was no text, not where it was empty', () => {
    const diff = { type: 'diff', path: '/a', newText: 'new', _meta: { k: 1 } };
    const content = [diff, { ...diff, oldText: null }, { ...diff, oldText: '' }];
    expect(normalized({ sessionUpdate: 'tool_call_update', toolCallId: 't', content })).toMatchObject({
      content: [
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'modify', oldText: '' }], _meta: { k: 1 } },
      ],
    });
  });

  it('clears nothing of a tool call with null, and gives it no capabilities', () => {
    const kept = { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' };
    expect(normalized({ ...kept, title: null, content: null, capabilities: 5 })).toStrictEqual(kept);
  });

  it('has groups of choices under the neutral name', () => {
    const group = { name: 'G', options: [{ value: 'a', name: 'A' }] };
    const option = {
      type: 'select',
      id: 'm',
      name: 'M',
      currentValue: 'a',
      options: [{ ...group, group: 'g' }],
    };
    expect(normalized({ sessionUpdate: 'config_option_update', configOptions: [option] })).toMatchObject({
      configOptions: [{ configId: 'm', options: [{ ...group, groupId: 'g' }] }],
    });
  });

  it.each([{ planId: 'p' }, { id: 'p' }])('has plans whose id is spelled %o', (id) => {
    expect(normalized({ sessionUpdate: 'plan_removed', ...id })).toEqual({
      sessionUpdate: 'plan_removed',
      planId: 'p',
    });
    const entries = [{ content: 'a', priority: 'high', status: 'pending' }];
    expect(normalized({ sessionUpdate: 'plan_update', plan: { type: 'items', ...id, entries } })).toEqual({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'p', entries },
    });
  });
});

describe('a permission request of version 1', () => {
  const options = [{ optionId: 'o', name: 'Yes', kind: 'allow_for_a_while' }];

  it.each([
    [{ prompt: 'May I?', context: 'To test.' }, 'May I?', 'To test.'],
    [{ title: 'May I?', description: 'To test.', toolCall: null }, 'May I?', 'To test.'],
    [{ prompt: '', context: null }, null, null],
    [{}, null, null],
  ])('may have no tool call: %j', (fields, title, description) => {
    expect(v1.normalizePermission({ sessionId: 's', options, ...fields })).toStrictEqual({
      sessionId: 's',
      title,
      description,
      options,
      toolCall: null,
      subject: null,
    });
  });

  it('has no title where its tool call has none', () => {
    expect(v1.normalizePermission({ sessionId: 's', toolCall: { toolCallId: 't' }, options })).toMatchObject({
      title: null,
    });
  });
});
