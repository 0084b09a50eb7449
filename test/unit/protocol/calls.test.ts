import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { issuesIn } from '../../../src/core/base/issue.ts';
import type { CallName, Calls } from '../../../src/core/protocol/calls.ts';
import type { Dialect } from '../../../src/core/protocol/dialect.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';

function callOf<K extends CallName>(dialect: Dialect, name: K) {
  const call = dialect.calls[name];
  if (!call) throw new Error(`${dialect.name} has no ${name}`);
  return call;
}

/** What goes over the wire for a call, the features it needs, and what is wrong with it. */
function sent<K extends CallName>(dialect: Dialect, name: K, input: Calls[K][0]) {
  const { descriptor, encode } = callOf(dialect, name);
  const result = v.safeParse(descriptor.params, encode(input));
  if (!result.success) return { issues: issuesIn(result.issues, 'params') };
  return {
    method: descriptor.method,
    params: result.output,
    features: [descriptor.requires, ...(descriptor.uses?.(result.output) ?? [])],
  };
}

/** What a call gives for an answer of the agent's, or `undefined` where the answer is malformed. */
function answered(dialect: Dialect, name: CallName, answer: unknown): unknown {
  const { descriptor, decode } = callOf(dialect, name);
  const result = v.safeParse(descriptor.result as v.GenericSchema, answer);
  return result.success ? { output: decode(result.output) } : undefined;
}

const all = [v1, v2Baseline, v2Markers];

describe('opening a session', () => {
  it('sends no key without a value', () => {
    const input = { cwd: '/a', mcpServers: undefined, additionalDirectories: undefined, _meta: undefined };
    const params = sent(v1, 'newSession', input as never).params as object;
    expect(Object.keys(params).sort()).toEqual(['cwd', 'mcpServers']);
  });
});

describe('loading a session', () => {
  it('gives the models of version 1', () => {
    const model = { modelId: 'm', name: 'M', description: null };
    const models = { currentModelId: 'm', availableModels: [model, { modelId: 5 }] };
    const read = { currentModelId: 'm', availableModels: [model] };
    for (const name of ['newSession', 'loadSession', 'resumeSession', 'forkSession'] as const) {
      expect(answered(v1, name, { sessionId: 's', models })).toEqual({
        output: { sessionId: 's', models: read },
      });
      expect(answered(v1, name, { sessionId: 's', models: null })).toEqual({
        output: { sessionId: 's', models: null },
      });
      for (const malformed of [{}, 5, { availableModels: [model] }]) {
        expect(answered(v1, name, { sessionId: 's', models: malformed })).toEqual({
          output: { sessionId: 's' },
        });
      }
    }
  });
});

describe('a prompt', () => {
  it('is answered with the end of the turn in version 1', () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    expect(answered(v1, 'prompt', { stopReason: 'bored', usage })).toEqual({
      output: { stopReason: 'bored', usage },
    });
    for (const none of [5, null, {}, { totalTokens: 'many' }]) {
      expect(answered(v1, 'prompt', { stopReason: 'end_turn', usage: none })).toEqual({
        output: { stopReason: 'end_turn' },
      });
    }
    expect(answered(v1, 'prompt', {})).toBeUndefined();
  });

  it.each(all)('may report its usage in part, in $name', (dialect) => {
    const usage = {
      inputTokens: 1,
      outputTokens: -2,
      cachedReadTokens: 3,
      thoughtTokens: null,
      _meta: { k: 1 },
    };
    expect(answered(dialect, 'prompt', { stopReason: 'end_turn', usage })).toEqual({
      output: {
        stopReason: 'end_turn',
        usage: {
          totalTokens: null,
          inputTokens: 1,
          outputTokens: null,
          cachedReadTokens: 3,
          _meta: { k: 1 },
        },
      },
    });
  });
});

describe('calls whose answer says nothing', () => {
  it.each(all)('take any answer in $name', (dialect) => {
    for (const name of ['closeSession', 'deleteSession', 'login', 'logout'] as const) {
      for (const answer of [null, {}, { odd: 1 }]) {
        expect(answered(dialect, name, answer)).toEqual({ output: undefined });
      }
    }
  });
});

const _meta = { 'example.com/key': { nested: [1, null] } };
const entries = [{ content: 'a', priority: 'high', status: 'pending' }];

describe.each(all)('_meta in $name', (dialect) => {
  it.each([
    ['newSession', { sessionId: 's' }],
    ['loadSession', {}],
    ['resumeSession', {}],
    ['forkSession', { sessionId: 's' }],
    ['listSessions', { sessions: [] }],
    ['prompt', { stopReason: 'end_turn' }],
    ['setConfigOption', { configOptions: [] }],
  ] as const)('of the answer to %s is kept', (name, answer) => {
    expect(answered(dialect, name, { ...answer, _meta })).toEqual({ output: { ...answer, _meta } });
    for (const none of [null, 5]) {
      expect(answered(dialect, name, { ...answer, _meta: none })).toStrictEqual({ output: answer });
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
});
