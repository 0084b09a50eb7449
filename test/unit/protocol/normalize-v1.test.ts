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

  it('keeps blocks of a type that we do not know', () => {
    const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', depth: 3 } };
    expect(normalized(chunk)).toBe(chunk);
  });

  it('has a plan that is the only one', () => {
    const entries = [{ content: 'a', priority: 'high', status: 'pending' }];
    expect(normalized({ sessionUpdate: 'plan', entries, _meta: { k: 1 } })).toEqual({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'plan', entries },
      _meta: { k: 1 },
    });
  });

  it('has its diffs one file each', () => {
    const diff = { type: 'diff', path: '/a', newText: 'new', _meta: { k: 1 } };
    expect(
      normalized({
        sessionUpdate: 'tool_call',
        toolCallId: 't',
        title: 'Edit',
        content: [diff, { ...diff, oldText: 'old' }],
      }),
    ).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'Edit',
      content: [
        {
          type: 'diff',
          changes: [{ operation: 'add', path: '/a', oldText: null, newText: 'new' }],
          patch: null,
          _meta: { k: 1 },
        },
        {
          type: 'diff',
          changes: [{ operation: 'modify', path: '/a', oldText: 'old', newText: 'new' }],
          patch: null,
          _meta: { k: 1 },
        },
      ],
    });
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

  it('clears nothing of a tool call with null, and gives it no capabilities', () => {
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      title: null,
      content: null,
      rawInput: null,
      status: 'completed',
      capabilities: 5,
    };
    expect(normalized(update)).toStrictEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'completed',
    });
  });

  it('has config options under the neutral names, and drops types that it does not know', () => {
    const base = { name: 'Model', category: 'model' };
    expect(
      normalized({
        sessionUpdate: 'config_option_update',
        configOptions: [
          {
            ...base,
            id: 'm',
            type: 'select',
            currentValue: 'a',
            options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }],
          },
          { ...base, id: 'b', type: 'boolean', currentValue: true },
          { ...base, id: 'x', type: 'slider', currentValue: 5 },
        ],
      }),
    ).toEqual({
      sessionUpdate: 'config_option_update',
      configOptions: [
        {
          ...base,
          configId: 'm',
          type: 'select',
          currentValue: 'a',
          options: [{ groupId: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }],
        },
        { ...base, configId: 'b', type: 'boolean', currentValue: true },
      ],
    });
  });

  it('may spell the mode as the page on modes does in an example', () => {
    expect(normalized({ sessionUpdate: 'current_mode_update', modeId: 'code' })).toMatchObject({
      currentModeId: 'code',
    });
    expect(v1.normalize({ sessionUpdate: 'current_mode_update' })).toMatchObject({
      update: undefined,
      issues: [{ path: 'update.currentModeId' }],
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

  it('loses what is malformed and lenient, apart from locations, and keeps the rest', () => {
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'T',
      kind: 5,
      locations: [{ path: '/a' }, 5],
    };
    expect(normalized(update)).toStrictEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'T',
      locations: [{ path: '/a' }, { path: '5' }],
    });
  });

  it('says where it is malformed', () => {
    expect(v1.normalize({ sessionUpdate: 'agent_message_chunk', content: { type: 'text' } })).toEqual({
      update: undefined,
      issues: [{ path: 'update.content.text', message: 'is missing' }],
    });
  });
});

describe('a permission request of version 1', () => {
  const options = [{ optionId: 'o', name: 'Yes', kind: 'allow_for_a_while' }];

  it('is about its tool call', () => {
    const toolCall = { toolCallId: 't', title: 'Edit', status: null };
    expect(v1.normalizePermission({ sessionId: 's', toolCall, options })).toStrictEqual({
      sessionId: 's',
      title: 'Edit',
      description: null,
      options,
      toolCall: { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Edit' },
      subject: { type: 'tool_call', toolCallId: 't' },
    });
  });

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

  it('says where it is malformed', () => {
    expect(v1.normalizePermission({ sessionId: 's', options, toolCall: 5 })).toMatchObject([
      { path: 'params.toolCall' },
    ]);
    expect(v1.normalizePermission({ sessionId: 's', prompt: 'May I?' })).toMatchObject([
      { path: 'params.options' },
    ]);
    expect(v1.normalizePermission(null)).toMatchObject([{ path: 'params' }]);
  });
});
