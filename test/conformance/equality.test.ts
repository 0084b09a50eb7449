import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { PermissionRequest } from '../../src/core/client/requests/handlers.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { SessionNotice } from '../../src/core/model/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../support/agents.ts';
import { connectFlushable, cwd, foldedIn, messages, openSession, outline } from '../support/open-session.ts';
import { stateUpdate, toolCallUpdate, userMessage } from '../support/updates.ts';
import { losses } from './losses.ts';

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
function tell(dialect: DialectName, agent: ScriptedAgent): void {
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

/** What is left when all that a version cannot say is taken out. */
const shared = (conversation: Conversation) =>
  losses.reduce((less, { without }) => without(less), conversation);

/** Lives through the story, and looks at the conversation at each stop. */
async function lived(dialect: DialectName) {
  const asked: PermissionRequest[] = [];
  const notices: SessionNotice[] = [];
  let atQuestion: Conversation | undefined;
  const { connection, diagnostics } = await connectFlushable(everything[dialect], {
    handlers: {
      requestPermission: (request, { session }) => {
        asked.push(request);
        atQuestion = session.conversation;
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
    script: (agent) => tell(dialect, agent),
  });
  const session = await connection.newSession({ cwd });
  session.onNotice((notice) => notices.push(notice));
  const opened = session.conversation;
  const turn = session.prompt('Fix the test.');
  const sent = session.conversation;
  const { stopReason } = await turn;
  const ended = session.conversation;
  await connection.loadSession({ sessionId: 's1', cwd });
  const loaded = session.conversation;
  // The diagnostics of a version are its own.
  expect(diagnostics).toEqual([]);
  return {
    stops: { opened, sent, atQuestion: atQuestion as Conversation, ended, loaded },
    asked,
    notices,
    stopReason,
  };
}

describe.each(dialectNames.filter((dialect) => dialect !== 'v1'))('one story in v1 and in %s', (dialect) => {
  test('gives equal conversations at every stop, less what a version cannot say', async () => {
    const [first, second] = await Promise.all([lived('v1'), lived(dialect)]);
    for (const stop of ['opened', 'sent', 'atQuestion', 'ended', 'loaded'] as const) {
      // The commands come with the session in one version, and in an update of their own in the other.
      const commands = stop === 'ended' || stop === 'atQuestion' ? {} : { commands: [] };
      const [one, other] = [first, second].map(({ stops }) => ({ ...shared(stops[stop]), ...commands }));
      expect(one, stop).toEqual(other);
    }
    expect(outline(first.stops.ended)).toEqual([
      'user: Fix the test.',
      'thought: The test fails.',
      't1: completed',
      'agent: Done: see |<image>|<_hologram>|.',
      'c1: completed',
      '?_weather',
    ]);
  });

  test('asks the same question, tells the same notice, and ends alike', async () => {
    const [first, second] = await Promise.all([lived('v1'), lived(dialect)]);
    const question = ({ asked }: typeof first) =>
      asked.map(({ title, options, toolCall }) => [title, options, toolCall?.toolCallId, toolCall?.status]);
    expect(question(first)).toEqual(question(second));
    expect(question(first)).toHaveLength(1);
    expect(first.notices).toEqual(second.notices);
    expect(first.stopReason).toBe(second.stopReason);
    expect(first.stops.ended.activity).toEqual(second.stops.ended.activity);
  });
});

describe('each loss is one', () => {
  test('`origin` of a prompt while it runs', async () => {
    const origins = async (dialect: DialectName) => {
      const { sent, atQuestion, ended } = (await lived(dialect)).stops;
      return [sent, atQuestion, ended].map(({ entries }) => messages({ entries })[0]?.origin);
    };
    expect(await origins('v1')).toEqual(['local', 'local', 'live']);
    expect(await origins('v2-baseline')).toEqual(['local', 'live', 'live']);
  });

  test('`owner`, `argv`, `size` and `capabilities` of terminals', async () => {
    const terminals = {
      create: () => ({ terminalId: 'x' }),
      output: () => ({ output: 'ok', truncated: false, exitStatus: { exitCode: 0, signal: null } }),
      waitForExit: () => ({ exitCode: 0, signal: null }),
      kill() {},
      release() {},
    };
    const one = await openSession('v1', { handlers: { terminals } });
    await one.agent.request('terminal/create', {
      sessionId: 's1',
      command: 'make',
      args: ['all'],
      cwd: '/w',
    });
    await one.agent.request('terminal/output', { sessionId: 's1', terminalId: 'x' });
    const other = await folded('v2-baseline', [
      {
        sessionUpdate: 'terminal_update',
        terminalId: 'x',
        command: 'make all',
        cwd: '/w',
        output: { data: 'b2s=' },
        exitStatus: { exitCode: 0, signal: null },
        size: { cols: 80, rows: 24 },
        capabilities: { cancel: {} },
      },
    ]);
    expect(one.conversation()).not.toEqual(other);
    expect(shared(one.conversation())).toEqual(shared(other));
  });

  const folded = async (dialect: DialectName, updates: readonly object[]) =>
    (await foldedIn(dialect, ...updates)).conversation;

  const shown = losses.flatMap(({ where, example, without }) =>
    example ? [{ where, example, without }] : [],
  );

  test.each(shown)('$where', async ({ example, without }) => {
    const one = await folded('v1', example.v1);
    const other = await folded('v2-baseline', example.v2);
    expect(one).not.toEqual(other);
    expect(without(one)).toEqual(without(other));
  });
});
