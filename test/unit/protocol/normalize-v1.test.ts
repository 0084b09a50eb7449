import { describe, expect, it } from 'vitest';
import { v1 } from '../../../src/protocol/v1/index.ts';

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
    const diff = { type: 'diff', path: '/a', newText: 'new' };
    const content = [diff, { ...diff, oldText: null }, { ...diff, oldText: '' }];
    expect(normalized({ sessionUpdate: 'tool_call_update', toolCallId: 't', content })).toMatchObject({
      content: [
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'modify', oldText: '' }] },
      ],
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
