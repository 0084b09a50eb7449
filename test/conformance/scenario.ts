import type { JsonObject } from '../../src/core/base/json.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { stateUpdate, toolCallUpdate, userMessage } from '../support/updates.ts';

/**
 * One story in the words of each version: a session is opened, a prompt runs with a plan, a tool call, a permission and
 * an answer, and the session is loaded again.
 */

const text = (said: string) => ({ type: 'text', text: said });
const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const odd = { type: '_hologram', depth: 3 };
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const steps = (status: string) => [
  { content: 'Read the test', priority: 'high', status },
  { content: 'Fix the code', priority: 'medium', status: 'pending' },
];
const toolCall = {
  toolCallId: 't1',
  title: 'Edit a.ts',
  name: 'edit_file',
  kind: 'edit',
  status: 'pending',
  locations: [{ path: '/w/a.ts', line: 3 }],
  rawInput: { path: '/w/a.ts' },
  _meta: { tool: 'edit', step: 1 },
};
const usage = {
  sessionUpdate: 'usage_update',
  used: 120,
  size: 1000,
  cost: { amount: 0.02, currency: 'USD' },
};
const info = {
  sessionUpdate: 'session_info_update',
  title: 'Fix the test',
  updatedAt: '2026-01-02T03:04:05Z',
};
const compaction = [
  { sessionUpdate: 'compaction_update', compactionId: 'c1', status: 'in_progress' },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c1', content: text('So far: ') },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c1', content: text('one fix.') },
  { sessionUpdate: 'compaction_update', compactionId: 'c1', status: 'completed' },
];
const strange = { sessionUpdate: '_weather', sky: 'grey' };
const chunk = (role: string, messageId: string, content: object) => ({
  sessionUpdate: `${role}_chunk`,
  messageId,
  content,
});
const result = [
  { type: 'content', content: text('Edited.') },
  { type: 'diff', path: '/w/a.ts', oldText: 'a\n', newText: 'b\n' },
];
const patch = { format: 'git_patch', text: '--- a/w/a.ts\n+++ b/w/a.ts\n@@ -1 +1 @@\n-a\n+b\n' };

interface Telling {
  readonly opened: JsonObject;
  readonly loading: string;
  readonly before: readonly object[];
  readonly permission: JsonObject;
  readonly after: readonly object[];
  readonly history: readonly object[];
  /** How a prompt is answered, around what happens in it. */
  play(agent: ScriptedAgent, id: string | number, middle: () => Promise<void>): Promise<unknown>;
}

const afterTool = (content: readonly object[], plan: object) => [
  toolCallUpdate({ status: 'completed', content, rawOutput: 'ok', _meta: { step: 2 } }),
  plan,
  chunk('agent_message', 'm1', text('Done')),
  chunk('agent_message', 'm1', text(': see ')),
  chunk('agent_message', 'm1', image),
  chunk('agent_message', 'm1', odd),
  chunk('agent_message', 'm1', text('.')),
  ...compaction,
  strange,
  usage,
  info,
  { sessionUpdate: 'notice', severity: 'info', title: 'Nearly full' },
];

const v1: Telling = {
  opened: {
    configOptions: [
      {
        id: 'model',
        name: 'Model',
        type: 'select',
        currentValue: 'small',
        options: [{ group: 'g', name: 'All', options: [{ value: 'small', name: 'Small' }] }],
      },
      { id: 'brave', name: 'Brave', type: 'boolean', currentValue: true },
    ],
  },
  loading: 'session/load',
  before: [
    {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'web', description: 'Search', input: { hint: 'query' } }],
    },
    chunk('agent_thought', 'm1', text('The test ')),
    chunk('agent_thought', 'm1', text('fails.')),
    { sessionUpdate: 'plan', entries: steps('in_progress') },
    { sessionUpdate: 'tool_call', ...toolCall },
  ],
  permission: { sessionId: 's1', toolCall: { toolCallId: 't1', status: 'in_progress' }, options },
  after: afterTool(result, { sessionUpdate: 'plan', entries: steps('completed') }),
  history: [
    chunk('user_message', 'u1', text('Fix the test.')),
    chunk('agent_message', 'm1', text('Done.')),
    { sessionUpdate: 'tool_call', ...toolCall, status: 'completed' },
  ],
  async play(_agent, _id, middle) {
    await middle();
    return { stopReason: 'end_turn' };
  },
};

const v2: Telling = {
  opened: {
    configOptions: [
      {
        configId: 'model',
        name: 'Model',
        type: 'select',
        currentValue: 'small',
        options: [{ groupId: 'g', name: 'All', options: [{ value: 'small', name: 'Small' }] }],
      },
      { configId: 'brave', name: 'Brave', type: 'boolean', currentValue: true },
    ],
    availableCommands: [
      { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
    ],
  },
  loading: 'session/resume',
  before: [
    { sessionUpdate: 'agent_thought', messageId: 'm1', content: [text('The test fails.')] },
    { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p1', entries: steps('in_progress') } },
    { sessionUpdate: 'tool_call_update', ...toolCall, capabilities: { cancel: {} } },
  ],
  permission: {
    sessionId: 's1',
    title: 'Edit a.ts',
    subject: { type: 'tool_call', toolCall: { toolCallId: 't1', status: 'in_progress' } },
    options,
  },
  after: afterTool(
    [result[0] as object, { type: 'diff', changes: [{ operation: 'modify', path: '/w/a.ts' }], patch }],
    {
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'p1', entries: steps('completed') },
    },
  ),
  history: [
    userMessage('u1', 'Fix the test.'),
    { sessionUpdate: 'agent_message', messageId: 'm1', content: [] },
    chunk('agent_message', 'm1', text('Done.')),
    { sessionUpdate: 'tool_call_update', ...toolCall, status: 'completed' },
    stateUpdate('idle'),
  ],
  async play(agent, id, middle) {
    const echo = userMessage('u1', 'Fix the test.');
    agent.update('s1', echo, stateUpdate('running'));
    agent.answer(id, { messageId: 'u1' });
    await middle();
    agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
    return noAnswer;
  },
};

const tellings: Readonly<Record<DialectName, Telling>> = {
  v1,
  'v2-markers': { ...v2, loading: 'session/load' },
  'v2-baseline': v2,
};

/** Writes the story into an agent. */
export function tell(dialect: DialectName, agent: ScriptedAgent): void {
  const telling = tellings[dialect];
  agent
    .on('session/new', { sessionId: 's1', ...telling.opened })
    .on('session/prompt', (_params, agent, id) =>
      telling.play(agent, id, async () => {
        agent.update('s1', ...telling.before);
        await agent.request('session/request_permission', telling.permission);
        agent.update('s1', ...telling.after);
      }),
    )
    .on(telling.loading, (_params, agent) => {
      agent.update('s1', ...telling.history);
      return telling.opened;
    });
}
