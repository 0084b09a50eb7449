import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/protocol/calls.ts';
import type { Dialect } from '../../../src/protocol/dialect.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';

const _meta = { 'example.com/key': { nested: [1, null] } };

function answered(dialect: Dialect, name: CallName, answer: object): unknown {
  const call = dialect.calls[name];
  if (!call?.descriptor.result) throw new Error(`${dialect.name} has no answer to ${name}`);
  return call.decode(v.parse(call.descriptor.result, answer));
}

const options = [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }];
const entries = [{ content: 'a', priority: 'high', status: 'pending' }];

describe.each([v1, v2Markers, v2Baseline])('_meta in $name', (dialect) => {
  it.each([
    ['newSession', { sessionId: 's' }],
    ['loadSession', {}],
    ['resumeSession', {}],
    ['forkSession', { sessionId: 's' }],
    ['listSessions', { sessions: [] }],
    ['prompt', { stopReason: 'end_turn' }],
    ['setConfigOption', { configOptions: [] }],
  ] as const)('of the answer to %s is kept', (name, answer) => {
    expect(answered(dialect, name, { ...answer, _meta })).toEqual({ ...answer, _meta });
    for (const none of [null, 5]) {
      expect(answered(dialect, name, { ...answer, _meta: none })).toStrictEqual(answer);
    }
  });

  it.each([
    { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'a' } },
    { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries } },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
    { sessionUpdate: 'available_commands_update', availableCommands: [] },
    { sessionUpdate: 'config_option_update', configOptions: [] },
    { sessionUpdate: 'session_info_update', title: 'a' },
    { sessionUpdate: 'notice', severity: 'info', title: 'a' },
  ])('of the update $sessionUpdate is kept', (update) => {
    expect(dialect.normalize({ ...update, _meta }).update).toMatchObject({ _meta });
  });

  it('of a permission request is kept', () => {
    const request = { sessionId: 's', title: 'May I?', toolCall: { toolCallId: 't' }, options };
    expect(dialect.normalizePermission({ ...request, _meta })).toMatchObject({ sessionId: 's', _meta });
    expect(dialect.normalizePermission({ ...request, _meta: null })).not.toHaveProperty('_meta');
  });
});

describe.each([v1, v2Markers, v2Baseline])('_meta of a call in $name', (dialect) => {
  const session = { sessionId: 's' };

  it.each([
    ['newSession', { cwd: '/a' }],
    ['loadSession', { ...session, cwd: '/a' }],
    ['resumeSession', { ...session, cwd: '/a' }],
    ['forkSession', { ...session, cwd: '/a' }],
    ['listSessions', {}],
    ['closeSession', session],
    ['deleteSession', session],
    ['prompt', { ...session, prompt: [{ type: 'text', text: 'a' }] }],
    ['cancel', session],
    ['setMode', { ...session, modeId: 'code' }],
    ['setModel', { ...session, modelId: 'small' }],
    ['setConfigOption', { ...session, configId: 'c', value: 'a' }],
    ['setConfigOption', { ...session, configId: 'c', value: true }],
    ['cancelToolCall', { ...session, toolCallId: 't' }],
    ['cancelTerminal', { ...session, terminalId: 't' }],
    ['login', { methodId: 'a' }],
    ['logout', {}],
  ] as const)('%s is sent', (name, input) => {
    const call = dialect.calls[name];
    // Not every version has every call.
    if (!call) return expect(name).toMatch(/^(setMode|setModel|cancelToolCall|cancelTerminal)$/);
    const sent = (params: object) => v.parse(call.descriptor.params, call.encode(params as never));
    expect(sent({ ...input, _meta })).toMatchObject({ _meta });
    expect(sent(input)).not.toHaveProperty('_meta');
  });
});

describe('_meta', () => {
  it('of a permission request without a tool call is kept in version 1', () => {
    expect(v1.normalizePermission({ sessionId: 's', prompt: 'May I?', options, _meta })).toMatchObject({
      _meta,
    });
  });

  it.each([
    { sessionUpdate: 'plan', entries },
    { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
  ])('of the update $sessionUpdate is kept in version 1', (update) => {
    expect(v1.normalize({ ...update, _meta }).update).toMatchObject({ _meta });
  });

  it.each([
    { state: 'running' },
    { state: 'idle' },
    { state: 'idle', usage: { totalTokens: 1, inputTokens: 1, outputTokens: 0 } },
  ])('of the state update %j is kept in version 2', (state) => {
    expect(v2Baseline.normalize({ sessionUpdate: 'state_update', ...state, _meta }).update).toEqual({
      sessionUpdate: 'state_update',
      ...state,
      _meta,
    });
  });
});
