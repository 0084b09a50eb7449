import { describe, expect, it } from 'vitest';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline } from '../../../src/core/protocol/v2/index.ts';

const normalized1 = (update: unknown) => v1.normalize(update).update;
const normalized2 = (update: unknown) => v2Baseline.normalize(update).update;

it.each([v1, v2Baseline])(
  'a diff of $name adds a file only where there was no text, not where it was empty',
  ({ normalize }) => {
    const diff = { type: 'diff', path: '/a', newText: 'new', _meta: { k: 1 } };
    const content = [diff, { ...diff, oldText: null }, { ...diff, oldText: '' }];
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', content };
    expect(normalize(update).update).toMatchObject({
      content: [
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'add', oldText: null }] },
        { changes: [{ operation: 'modify', oldText: '' }], _meta: { k: 1 } },
      ],
    });
  },
);

describe('an update of version 1', () => {
  it('is handed on without a copy where it says the same', () => {
    const chunk = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'a' },
      _meta: { k: 1 },
    };
    expect(normalized1(chunk)).toBe(chunk);
  });

  it('clears nothing of a tool call with null, and gives it no capabilities', () => {
    const kept = { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' };
    expect(normalized1({ ...kept, title: null, content: null, capabilities: 5 })).toStrictEqual(kept);
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
    expect(normalized1({ sessionUpdate: 'config_option_update', configOptions: [option] })).toMatchObject({
      configOptions: [{ configId: 'm', options: [{ ...group, groupId: 'g' }] }],
    });
  });

  it.each([{ planId: 'p' }, { id: 'p' }])('has plans whose id is spelled %o', (id) => {
    expect(normalized1({ sessionUpdate: 'plan_removed', ...id })).toEqual({
      sessionUpdate: 'plan_removed',
      planId: 'p',
    });
    const entries = [{ content: 'a', priority: 'high', status: 'pending' }];
    expect(normalized1({ sessionUpdate: 'plan_update', plan: { type: 'items', ...id, entries } })).toEqual({
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

describe('an update of version 2', () => {
  const git = { format: 'git_patch', text: '' };

  it.each([
    { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'a' } },
    { sessionUpdate: 'agent_message', messageId: 'm', content: null },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      content: [{ type: 'diff', changes: [], patch: git }],
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 't', title: null, content: [{ type: 'hologram' }] },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: 'AAAA' },
    { sessionUpdate: 'plan_update', plan: { type: 'gantt', planId: 'p', bars: [] } },
    { sessionUpdate: 'state_update', state: 'idle', stopReason: 'refusal' },
  ])('is handed on without a copy where it says the same: $sessionUpdate', (update) => {
    expect(normalized2(update)).toBe(update);
  });

  it('takes a malformed stop reason for none', () => {
    expect(normalized2({ sessionUpdate: 'state_update', state: 'idle', stopReason: 5 })).toStrictEqual({
      sessionUpdate: 'state_update',
      state: 'idle',
    });
  });
});

describe('an update of an earlier draft of version 2', () => {
  it('spells the id of a removed plan otherwise', () => {
    expect(normalized2({ sessionUpdate: 'plan_removed', id: 'p' })).toEqual({
      sessionUpdate: 'plan_removed',
      planId: 'p',
    });
  });

  it('names the text of a patch `diff`', () => {
    const changes = [{ operation: 'modify', path: '/a' }];
    const update = (patch: object) => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      content: [{ type: 'diff', changes, patch }],
    });
    const format = 'git_patch';
    expect(v2Baseline.normalize(update({ format, diff: '@@' }))).toEqual({
      update: update({ format, text: '@@' }),
    });
  });
});

describe('a permission request of version 2', () => {
  const request = {
    sessionId: 's',
    title: 'May I?',
    options: [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }],
  };

  it('had just a tool call in an earlier draft', () => {
    const { title: _, ...rest } = request;
    expect(
      v2Baseline.normalizePermission({ ...rest, toolCall: { toolCallId: 't', title: 'Edit' } }),
    ).toMatchObject({
      title: 'Edit',
      subject: { type: 'tool_call', toolCallId: 't' },
      toolCall: { sessionUpdate: 'tool_call_update', toolCallId: 't' },
    });
    expect(v2Baseline.normalizePermission({ ...rest, toolCall: { toolCallId: 't' } })).toMatchObject({
      title: null,
    });
  });
});
