import { describe, expect, it } from 'vitest';
import { v2Baseline } from '../../../src/core/protocol/v2/index.ts';

const normalized = (update: unknown) => v2Baseline.normalize(update).update;

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
    expect(normalized(update)).toBe(update);
  });

  it('takes a malformed stop reason for none', () => {
    expect(normalized({ sessionUpdate: 'state_update', state: 'idle', stopReason: 5 })).toStrictEqual({
      sessionUpdate: 'state_update',
      state: 'idle',
    });
  });
});

describe('an update of an earlier draft of version 2', () => {
  it('spells the id of a removed plan otherwise', () => {
    expect(normalized({ sessionUpdate: 'plan_removed', id: 'p' })).toEqual({
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
