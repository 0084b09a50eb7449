import { expect, test } from 'vitest';
import { agentOf } from '../../../src/agents/find.ts';
import { agents } from '../../../src/agents/list.ts';
import { testedAgents } from '../../../src/agents/tested-agents.ts';
import { withPromptOf } from '../../../src/core/protocol/agent-update.ts';
// @ts-expect-error no declarations
import { testedAgents as suite } from '../../agents/catalog.mjs';

test('the agents that were tested are those of the suite', () => {
  expect(testedAgents).toEqual(suite);
});

test('no value of a known agent both asks and does not, and no name is in two rows', () => {
  const names = agents.flatMap((row) => row.names);
  expect(new Set(names).size).toBe(names.length);
  for (const { permissions = [] } of agents) {
    for (const { asking, notAsking } of permissions) {
      expect(asking.filter((value) => notAsking.includes(value))).toEqual([]);
      expect(asking.length).toBeGreaterThan(0);
    }
  }
});

/** It does not report its name. */
const grok = agentOf({ authMethods: [{ id: 'grok.com', name: 'Grok' }] });
const subagentNotice = (method: string, params: unknown) => grok.subagentNotice?.(method, params);

const spawned = {
  sessionUpdate: 'subagent_spawned',
  subagent_id: 'child',
  parent_session_id: 's1',
  child_session_id: 'child',
  subagent_type: 'general-purpose',
  description: 'Reads the README',
};
const finished = { sessionUpdate: 'subagent_finished', child_session_id: 'child', status: 'completed' };
const methods = ['_x.ai/session_notification', '_x.ai/session/update'];

test.each(methods)('%s announces the session of a subagent and its end', (method) => {
  expect(subagentNotice(method, { sessionId: 's1', update: spawned })).toEqual({
    sessionId: 's1',
    update: {
      sessionUpdate: 'subagent_update',
      sessionId: 'child',
      title: 'Reads the README',
      state: { state: 'running' },
      _meta: { subagentType: 'general-purpose' },
    },
  });
  expect(subagentNotice(method, { sessionId: 's1', update: finished })?.update).toEqual({
    sessionUpdate: 'subagent_update',
    sessionId: 'child',
    state: { state: 'idle', stopReason: 'end_turn' },
  });
});

test('the end of a subagent that was cancelled, and one with another status', () => {
  const stopReason = (status: unknown) =>
    subagentNotice('_x.ai/session_notification', { sessionId: 's1', update: { ...finished, status } })?.update
      .state?.stopReason;
  expect(['cancelled', 'failed', 7].map(stopReason)).toEqual(['cancelled', null, null]);
});

test('another method, another kind, and what lacks a session tell nothing of a subagent', () => {
  const [method = ''] = methods;
  const nothing = [
    subagentNotice('_x.ai/session/setup', { sessionId: 's1', update: spawned }),
    subagentNotice(method, { sessionId: 's1', update: { ...spawned, sessionUpdate: 'turn_completed' } }),
    subagentNotice(method, { sessionId: 's1', update: { ...spawned, sessionUpdate: '__proto__' } }),
    subagentNotice(method, { sessionId: 's1', update: { ...spawned, child_session_id: 7 } }),
    subagentNotice(method, { update: spawned }),
    subagentNotice(method, { sessionId: 's1', update: null }),
    subagentNotice(method, undefined),
  ];
  expect(nothing).toEqual(nothing.map(() => undefined));
});

test('a chunk gets the prompt that its notification names, unless it names one itself', () => {
  const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a' } };
  expect(withPromptOf(grok.promptKey, { promptId: 'p1', eventId: 'e' }, chunk)).toEqual({
    ...chunk,
    _meta: { promptId: 'p1' },
  });
  const marked = { ...chunk, _meta: { parentToolCallId: 't1' } };
  expect(withPromptOf(grok.promptKey, { promptId: 'p1' }, marked)).toEqual({
    ...chunk,
    _meta: { parentToolCallId: 't1', promptId: 'p1' },
  });
  const own = { ...chunk, _meta: { promptId: 'p2' } };
  const others = [own, { sessionUpdate: 'tool_call', toolCallId: 't1' }, 'no update', null];
  for (const update of others) expect(withPromptOf(grok.promptKey, { promptId: 'p1' }, update)).toBe(update);
  for (const meta of [undefined, null, {}, { promptId: 7 }])
    expect(withPromptOf(grok.promptKey, meta, chunk)).toBe(chunk);
});
