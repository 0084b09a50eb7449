import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/core/protocol/calls.ts';
import type { Dialect } from '../../../src/core/protocol/dialect.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';

const _meta = { 'example.com/key': { nested: [1, null] } };

function answered(dialect: Dialect, name: CallName, answer: object): unknown {
  const call = dialect.calls[name];
  if (!call?.descriptor.result) throw new Error(`${dialect.name} has no answer to ${name}`);
  return call.decode(v.parse(call.descriptor.result, answer));
}
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
});
