import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, text } from '../../support/agents.ts';
import {
  cwd,
  deliver,
  foldedIn,
  messages,
  openSession,
  outline,
  toolCalls,
} from '../../support/open-session.ts';
import { permissionParams, says, toolCallUpdate } from '../../support/updates.ts';
import { failsTurn } from '../dialects.ts';

const thought = (said: string, messageId?: string) => ({
  ...says(said, messageId),
  sessionUpdate: 'agent_thought_chunk',
});
const call = (toolCallId: string, status = 'in_progress') => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'Run',
  status,
});

/** Folds updates of a running session. */
const folded = (...updates: readonly object[]) => foldedIn('v1', ...updates);

test('[58] v1 a cancel marks open tool calls as cancelled, and later updates are applied', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  await deliver(agent, call('done', 'completed'), call('t1'), call('t2', 'pending'), call('t3'));
  await session.cancel();
  expect(outline(conversation()).slice(1)).toEqual([
    'done: completed',
    't1: cancelled',
    't2: cancelled',
    't3: cancelled',
  ]);
  agent.update(
    's1',
    toolCallUpdate({ status: 'completed', rawOutput: { ok: true } }),
    toolCallUpdate({ title: 'Renamed' }, 't2'),
    says('Stopped.'),
  );
  agent.answer(id as number, { stopReason: 'cancelled' });
  expect(await turn).toEqual({ stopReason: 'cancelled', messageId: null });
  expect(outline(conversation()).slice(1)).toEqual([
    'done: completed',
    't1: completed',
    't2: cancelled',
    't3: cancelled',
    'agent: Stopped.',
  ]);
  expect(toolCalls(conversation())[2]).toMatchObject({ title: 'Renamed' });
});

test.each<[what: string, updates: readonly object[], shown: readonly string[]]>([
  [
    'with one id are one message, and another id is another message',
    [says('a', '1'), says('b', '1'), says('c', '2')],
    ['agent: ab', 'agent: c'],
  ],
  [
    'with an earlier id continue its message',
    [says('a', '1'), says('x', '2'), call('t1'), says('b', '1')],
    ['agent: ab', 'agent: x', 't1: in_progress'],
  ],
  [
    'without ids are another message if the role changes',
    [says('a'), says('b'), thought('c'), says('d')],
    ['agent: ab', 'thought: c', 'agent: d'],
  ],
  [
    'without ids are another message after a tool call',
    [says('a'), call('t1'), says('b')],
    ['agent: a', 't1: in_progress', 'agent: b'],
  ],
  ['whose id is null have none', [says('a', null), says('b'), says('c', null)], ['agent: abc']],
  [
    'without ids are one message around what is not in the transcript',
    [
      says('a'),
      { sessionUpdate: 'usage_update', used: 1, size: 2 },
      { sessionUpdate: 'available_commands_update', availableCommands: [] },
      { sessionUpdate: 'session_info_update', title: 'T' },
      { sessionUpdate: 'notice', severity: 'info', title: 'N' },
      { sessionUpdate: 'plan', entries: [] },
      says('b'),
    ],
    ['agent: ab'],
  ],
])('[45] [agents: no-message-ids] v1 chunks %s', async (_, updates, shown) => {
  expect(outline((await folded(...updates)).conversation)).toEqual(shown);
});

test('[45] v1 replayed prompts without ids are not joined, and the blocks of each are', async () => {
  const said = (content: object) => ({ sessionUpdate: 'user_message_chunk', content });
  const link = { type: 'resource_link', name: 'a', uri: 'file:///a' };
  const { connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', said(text('One.')), said(text('Two.')), said(text('Three.')), said(link));
        return {};
      }),
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  expect(outline(session.conversation)).toEqual(['user: One.', 'user: Two.', 'user: Three.|<resource_link>']);
});

test.each(['', '0', '__proto__', 'constructor', 'a b\u2028c', '{"x":1}', '\ud83d\ude80', 'agent:1'])(
  '[46] v1 the id %j is only compared',
  async (id) => {
    const { conversation } = await folded(says('a', id), says('x', `${id} `), says('b', id));
    expect(messages(conversation)).toMatchObject([
      { messageId: id, content: [text('ab')] },
      { messageId: `${id} `, content: [text('x')] },
    ]);
  },
);

test('[47] [agents: shared-message-id] v1 a thought and its answer may share an id', async () => {
  const { conversation } = await folded(
    thought('Hm', '1'),
    says('So', '1'),
    thought('.', '1'),
    says('!', '1'),
  );
  expect(outline(conversation)).toEqual(['thought: Hm.', 'agent: So!']);
  expect(new Set(conversation.entries.map(({ key }) => key)).size).toBe(2);
});

test('[54] v1 an unknown update is kept unchanged, and the session continues', async () => {
  const strange = { sessionUpdate: '_vendor_thing', weather: ['rain'], _meta: { a: 1 } };
  const { conversation, diagnostics } = await folded(says('a', '1'), strange, says('b', '1'));
  expect(outline(conversation)).toEqual(['agent: ab', '?_vendor_thing']);
  expect(conversation.entries[1]).toMatchObject({ raw: strange });
  expect(diagnostics).toEqual([]);
});

test('[54] v1 only the malformed update is dropped, with a diagnostic', async () => {
  const { conversation, diagnostics } = await folded(
    says('a', '1'),
    { ...says('', '1'), content: { type: 'text', text: 7 } },
    { sessionUpdate: 'tool_call', title: 'no id' },
    { sessionUpdate: 'plan' },
    { sessionUpdate: 'usage_update', used: 'many', size: 1 },
    says('b', '1'),
  );
  expect(outline(conversation)).toEqual(['agent: ab']);
  expect(conversation).toMatchObject({ plans: [], usage: null });
  expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(4).fill('protocol.malformed_update'));
  expect(diagnostics[1]?.message).toContain('toolCallId');
});

test('[54] v1 unknown block types, kinds and statuses are kept', async () => {
  const { conversation } = await folded(
    { sessionUpdate: 'agent_message_chunk', content: { type: '_hologram', depth: 3 } },
    { ...call('t1', 'thinking_hard'), kind: 'teleport' },
  );
  expect(conversation.entries).toMatchObject([
    { content: [{ type: '_hologram', depth: 3 }] },
    { status: 'thinking_hard', toolKind: 'teleport' },
  ]);
});

test('v1 activity follows prompts, permissions and elicitations', async () => {
  const states: string[] = [];
  const { agent, session, conversation } = await openSession('v1', {
    handlers: {
      requestPermission: () => {
        states.push(conversation().activity.state);
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  states.push(conversation().activity.state);
  await agent.request('session/request_permission', permissionParams('v1'));
  states.push(conversation().activity.state);
  agent.answer(id as number, { stopReason: 'end_turn' });
  await turn;
  states.push(conversation().activity.state);
  expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
});

test.each([-32603, 400, -32000])(
  '[71] [agents: errors-of-the-model] v1 a turn that fails with %i rejects with the reason of the agent, and the prompt is not sent again',
  (code) => failsTurn('v1', code, {}),
);
