import { describe, expect, it } from 'vitest';
import { v2Baseline } from '../../../src/protocol/v2/index.ts';

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

  it('has diffs that say whether there is a patch', () => {
    const diff = { type: 'diff', changes: [{ operation: 'delete', path: '/a' }, { operation: 'teleport' }] };
    expect(normalized({ sessionUpdate: 'tool_call_update', toolCallId: 't', content: [diff] })).toMatchObject(
      {
        content: [
          {
            type: 'diff',
            changes: [
              { operation: 'delete', path: '/a' },
              { operation: 'teleport', path: '' },
            ],
            patch: null,
          },
        ],
      },
    );
    expect(
      normalized({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content: diff }),
    ).toMatchObject({
      content: { patch: null },
    });
  });

  it('has a reason and an error only at rest', () => {
    const update = {
      sessionUpdate: 'state_update',
      state: 'running',
      stopReason: 5,
      error: 5,
      background: [],
    };
    expect(normalized(update)).toStrictEqual({
      sessionUpdate: 'state_update',
      state: 'running',
      background: [],
    });
  });

  it('has the usage of the turn in the idle state', () => {
    const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' };
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2, thoughtTokens: 4 };
    expect(normalized({ ...idle, usage })).toEqual({ ...idle, usage });
    expect(normalized({ ...idle, usage: { totalTokens: 3, outputTokens: 'two' } })).toEqual({
      ...idle,
      usage: { totalTokens: 3, inputTokens: null, outputTokens: null },
    });
    for (const none of [null, 5, {}]) expect(normalized({ ...idle, usage: none })).toStrictEqual(idle);
    expect(normalized({ ...idle, state: 'running', usage })).toEqual({
      sessionUpdate: 'state_update',
      state: 'running',
    });
  });

  it('has the reason of an error in its message', () => {
    const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error' };
    const failed = (data?: unknown) => ({ ...idle, error: { code: 1, message: 'Failed', data } });
    expect(normalized(failed({ details: 'No network' }))).toEqual({
      ...idle,
      error: { code: 1, message: 'Failed: No network', data: { details: 'No network' } },
    });
    expect(normalized({ ...idle, error: { code: 1, message: 'Failed' } })).toEqual({
      ...idle,
      error: { code: 1, message: 'Failed' },
    });
    expect(normalized({ ...idle, error: null })).toStrictEqual({ ...idle, error: null });
  });

  it('takes a malformed stop reason for none', () => {
    expect(normalized({ sessionUpdate: 'state_update', state: 'idle', stopReason: 5 })).toStrictEqual({
      sessionUpdate: 'state_update',
      state: 'idle',
    });
  });
});

describe('an update of an earlier draft of version 2', () => {
  it('spells the id of a plan otherwise', () => {
    const entries = [{ content: 'a', priority: 'high', status: 'pending' }];
    expect(normalized({ sessionUpdate: 'plan_update', plan: { type: 'items', id: 'p', entries } })).toEqual({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'p', entries },
    });
  });

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

  it('spells the ids of config options and groups otherwise', () => {
    const options = [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }];
    const option = { name: 'Model', type: 'select', currentValue: 'a' };
    expect(
      normalized({ sessionUpdate: 'config_option_update', configOptions: [{ ...option, id: 'm', options }] }),
    ).toMatchObject({
      configOptions: [{ ...option, configId: 'm', options: [{ groupId: 'g', name: 'G' }] }],
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

  it('has diffs of one file, as in version 1', () => {
    const diff = { type: 'diff', path: '/a', oldText: 'old', newText: 'new' };
    const item = {
      type: 'diff',
      changes: [{ operation: 'modify', path: '/a', oldText: 'old', newText: 'new' }],
      patch: null,
    };
    expect(normalized({ sessionUpdate: 'tool_call_update', toolCallId: 't', content: [diff] })).toMatchObject(
      {
        content: [item],
      },
    );
    expect(
      normalized({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content: diff }),
    ).toMatchObject({
      content: item,
    });
  });
});

describe('a permission request of version 2', () => {
  const request = {
    sessionId: 's',
    title: 'May I?',
    options: [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }],
  };

  it('may be about a tool call, which it updates', () => {
    const toolCall = { toolCallId: 't', status: null, content: [{ type: 'diff', path: '/a', newText: 'b' }] };
    expect(v2Baseline.normalizePermission({ ...request, subject: { type: 'tool_call', toolCall } })).toEqual({
      sessionId: 's',
      title: 'May I?',
      description: null,
      options: request.options,
      subject: { type: 'tool_call', toolCallId: 't' },
      toolCall: {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't',
        status: null,
        content: [
          {
            type: 'diff',
            changes: [{ operation: 'add', path: '/a', oldText: null, newText: 'b' }],
            patch: null,
          },
        ],
      },
    });
  });

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

  it('says where it is malformed', () => {
    expect(v2Baseline.normalizePermission({ ...request, options: [] })).toMatchObject([
      { path: 'params.options' },
    ]);
    expect(v2Baseline.normalizePermission({ ...request, subject: { type: 'command' } })).toMatchObject([
      { path: 'params.subject.command' },
      { path: 'params.subject.cwd' },
    ]);
  });
});
