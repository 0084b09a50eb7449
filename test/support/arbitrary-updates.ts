import fc from 'fast-check';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import type { ConversationEntry, ConversationTerminal } from '../../src/core/model/conversation.ts';
import type { ToolCallContent } from '../../src/core/model/tool-call.ts';

/** Few ids, so that several updates concern one entry. An agent may use `__proto__` as an id. */
export const messageId = fc.constantFrom('m1', 'm2', 'm3', '__proto__', 'constructor');
export const toolCallId = fc.constantFrom('t1', 't2', '__proto__', 'toString');
/** Some agents name a terminal after its tool call. */
const terminalId = fc.constantFrom('w1', 't1', '__proto__');
const title = fc.constantFrom('Run', 'Read', '');
const text = fc.string({ maxLength: 8 });

// JSON without -0, which JSON cannot write, and without the one key that cloning and JSON treat differently.
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const meta = fc.option(
  fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }))),
);

/** The limits of a plan, which the next usage keeps. */
const limits = fc.record({ '_claude/rateLimit': fc.option(fc.record({ utilization: fc.double() })) });

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  { weight: 5, arbitrary: text.map((said) => ({ type: 'text' as const, text: said })) },
  text.map((said) => ({ type: 'text' as const, text: said, annotations: { priority: 1 } })),
  text.map((data) => ({ type: 'image' as const, data, mimeType: 'image/png' })),
  text.map((name) => ({ type: 'resource_link' as const, name, uri: 'file:///x' })),
  json.map((value) => ({ type: '_custom' as const, value })),
);
const blocks = fc.array(block, { maxLength: 3 });
const toolContent: fc.Arbitrary<ToolCallContent> = fc.oneof(
  block.map((content) => ({ type: 'content' as const, content })),
  terminalId.map((id) => ({ type: 'terminal' as const, terminalId: id })),
  text.map((sessionId) => ({ type: 'session' as const, sessionId })),
  text.map((newText) => ({
    type: 'diff' as const,
    changes: [{ operation: 'modify', path: '/a', oldText: null, newText }],
    patch: null,
  })),
);

/** A key that may be absent. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const patch = <T>(value: fc.Arbitrary<T>) => maybe(fc.option(value));

/** Removes keys whose value is `undefined`, which JSON does not have. */
const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;

const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
/** Characters of one to four bytes, in few ways, so that one output often continues another one. */
const printed = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 4 });
const planEntries = fc.array(
  fc.record({ content: text, priority: fc.constant('high'), status: fc.constant('pending') }),
  { maxLength: 2 },
);

/** A plan of a type, with the fields of that type. */
const planOf = (type: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .record({ type: fc.constant(type), planId: fc.constantFrom('p1', 'p2'), ...fields, _meta: meta })
    .map(withoutUndefined);

const replayedTerminal: fc.Arbitrary<ConversationTerminal> = fc.record({
  terminalId,
  owner: fc.constantFrom('agent', 'client'),
  command: fc.option(text),
  argv: fc.option(fc.array(text, { maxLength: 2 })),
  cwd: fc.constant(null),
  output: text,
  droppedBytes: fc.constant(0),
  exitStatus: fc.constant(null),
  size: fc.constant(null),
  capabilities: fc.constant(null),
  meta: fc.constant(null),
});

/** An entry of a replay. Its key and its id may be those of another entry. */
const replayedEntry: fc.Arbitrary<ConversationEntry> = fc.oneof(
  fc
    .tuple(fc.constantFrom('user' as const, 'agent' as const), fc.option(messageId), blocks)
    .map(([role, id, content]) => ({
      kind: 'message' as const,
      key: id === null ? `${role}#1` : `${role}:${id}`,
      role,
      messageId: id,
      content,
      origin: 'replay' as const,
      meta: null,
    })),
  messageId.map((id) => ({
    kind: 'sessionMessage' as const,
    key: `session:${id}`,
    messageId: id,
    senderSessionId: 's',
    recipientSessionId: null,
    senderMessageId: null,
    recipientMessageId: null,
    content: [],
    origin: 'replay' as const,
    meta: null,
  })),
  fc.tuple(toolCallId, fc.constantFrom('pending', 'completed')).map(([id, status]) => ({
    kind: 'toolCall' as const,
    key: `tool:${id}`,
    toolCallId: id,
    title: 'Replayed',
    toolKind: 'read' as const,
    name: null,
    status,
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin: 'replay' as const,
    meta: null,
  })),
  fc.constantFrom('c1', 'c2').map((compactionId) => ({
    kind: 'compaction' as const,
    key: `compaction:${compactionId}`,
    compactionId,
    status: 'completed',
    summary: [],
    error: null,
    origin: 'replay' as const,
    meta: null,
  })),
);

const pending = fc.record({
  id: fc.constantFrom('queue:1', 'prompt:2'),
  kind: fc.constantFrom('queue', 'steer'),
  state: fc.constantFrom('held', 'sending', 'accepted'),
  content: blocks,
  messageId: fc.option(messageId, { nil: null }),
});

/** What names the speaker of a chunk, and other metadata. */
const speaker = fc.record(
  {
    parentToolCallId: fc.constantFrom('t1', 't2', null),
    promptId: fc.constantFrom('p1', 'p2', null),
    other: fc.string({ maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const chunk = fc.record({ messageId: patch(messageId), content: block, _meta: maybe(fc.option(speaker)) });

const shapes: { readonly [K in AnyUpdate['sessionUpdate']]: fc.Arbitrary<object> } = {
  user_message_chunk: chunk,
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  user_message: fc.record({ messageId, content: patch(blocks), _meta: maybe(meta) }),
  agent_message: fc.record({ messageId, content: patch(blocks), _meta: maybe(meta) }),
  agent_thought: fc.record({ messageId, content: patch(blocks), _meta: maybe(meta) }),
  session_message: fc.record({
    messageId,
    senderSessionId: patch(text),
    recipientSessionId: patch(text),
    senderMessageId: patch(text),
    recipientMessageId: patch(text),
    content: patch(blocks),
    _meta: maybe(meta),
  }),
  session_message_chunk: fc.record({ messageId, content: block }),
  prompt_submitted: fc.record({ key: fc.constantFrom('prompt:1', 'prompt:2'), content: blocks }),
  pending_messages: fc.record({ messages: fc.array(pending, { maxLength: 2 }) }),
  prompt_settled: fc.record({
    key: fc.constantFrom('prompt:1', 'prompt:2'),
    accepted: fc.boolean(),
    messageId: patch(messageId),
  }),
  tool_call: fc.record({
    toolCallId,
    title,
    kind: maybe(fc.constantFrom('read', 'edit', 'strange')),
    status: maybe(fc.constantFrom('pending', 'in_progress', 'completed')),
    content: maybe(fc.array(toolContent, { maxLength: 2 })),
    rawInput: maybe(fc.constantFrom(null, 1, 2)),
  }),
  tool_call_update: fc.record({
    toolCallId,
    title: patch(title),
    name: patch(text),
    kind: patch(fc.constantFrom('read', 'edit')),
    status: patch(fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'strange')),
    content: patch(fc.array(toolContent, { maxLength: 2 })),
    locations: patch(fc.constant([{ path: '/a', line: 1 }])),
    rawInput: maybe(fc.constantFrom(null, 1, 2)),
    rawOutput: maybe(json),
    capabilities: patch(fc.constant({ cancel: {} })),
    asks: maybe(fc.constant(true)),
    _meta: maybe(meta),
  }),
  tool_call_content_chunk: fc.record({ toolCallId, content: toolContent }),
  permission_update: fc.record({
    toolCallId,
    permission: fc.option(fc.constant({ title: 'May I?', description: null, options: [] })),
  }),
  tool_progress: fc.record({
    toolCallId,
    progress: fc.option(
      fc.record({ progress: fc.nat(), total: fc.nat(), message: text }, { requiredKeys: ['progress'] }),
    ),
  }),
  unfinished_cancelled: fc.record({ except: fc.constant('in_progress' as const) }, { requiredKeys: [] }),
  terminal_update: fc.record({
    terminalId,
    command: patch(text),
    cwd: patch(text),
    output: patch(base64.map((data) => ({ data }))),
    exitStatus: patch(fc.constant({ exitCode: 0, signal: null })),
    size: patch(fc.constant({ cols: 80, rows: 24 })),
    _meta: maybe(meta),
  }),
  terminal_output_chunk: fc.record({ terminalId, data: base64 }),
  terminal_output_reported: fc.record({ terminalId, data: base64 }),
  terminal_started: fc.record({
    terminalId,
    command: text,
    argv: fc.option(fc.array(text, { maxLength: 2 })),
    cwd: fc.option(text),
  }),
  terminal_printed: fc.record({ terminalId, text: printed }),
  terminal_read: fc.record({ terminalId, output: printed, truncated: fc.boolean() }),
  terminal_exited: fc.record({
    terminalId,
    exitStatus: fc.constantFrom({ exitCode: 0, signal: null }, { exitCode: null, signal: 'SIGTERM' }),
  }),
  plan_update: fc.record({
    plan: fc.oneof(
      planOf('items', { entries: planEntries }),
      planOf('markdown', { content: text, path: patch(fc.constantFrom('/a', '')) }),
      planOf('_other', { body: json }),
    ),
    _meta: maybe(meta),
  }),
  plan: fc.record({ entries: planEntries, _meta: maybe(meta) }),
  plan_removed: fc.record({ planId: fc.constantFrom('p1', 'p2') }),
  state_update: fc.record({
    _meta: maybe(meta),
    state: fc.constantFrom('idle', 'running', 'requires_action', 'strange'),
    stopReason: patch(fc.constantFrom('end_turn', 'error')),
    usage: patch(
      fc.record({
        totalTokens: fc.option(fc.nat()),
        inputTokens: fc.option(fc.nat()),
        outputTokens: fc.option(fc.nat()),
      }),
    ),
    background: patch(fc.constant([{ type: 'tool_call', toolCallId: 't1' }])),
  }),
  available_commands_update: fc.record({
    availableCommands: fc.array(
      fc.record({ type: maybe(fc.constantFrom('command', 'skill')), name: text, description: text }),
      { maxLength: 2 },
    ),
  }),
  current_mode_update: fc.record({ currentModeId: text }),
  models_update: fc.record({
    models: fc.option(fc.constant({ currentModelId: 'a', availableModels: [{ modelId: 'a', name: 'A' }] })),
  }),
  modes_update: fc.record({
    modes: fc.option(fc.constant({ currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] })),
  }),
  turn_failed: fc.record({
    cause: fc.constantFrom('failed', 'interrupted'),
    reason: text,
    code: maybe(fc.integer()),
  }),
  history_added: fc.record({
    entries: fc.array(replayedEntry, { maxLength: 3 }),
    terminals: maybe(fc.array(replayedTerminal, { maxLength: 2 })),
    replaces: maybe(fc.array(fc.constantFrom('user#1', 'agent#1', 'tool:t1'), { maxLength: 2 })),
    completed: maybe(fc.array(replayedEntry, { maxLength: 2 })),
  }),
  config_option_update: fc.record({
    configOptions: fc.constant([{ configId: 'c', name: 'C', type: 'boolean', currentValue: true }]),
  }),
  session_info_update: fc.record({ title: patch(text), updatedAt: patch(text), _meta: maybe(meta) }),
  usage_update: fc.record({
    _meta: maybe(fc.oneof(meta, limits)),
    used: fc.nat(),
    size: fc.nat(),
    cost: patch(fc.constant({ amount: 1, currency: 'EUR' })),
  }),
  prompt_suggestions_update: fc.record({
    suggestions: fc.array(
      fc.record({ prompt: blocks, _meta: maybe(meta) }).map((suggestion) => withoutUndefined(suggestion)),
      { maxLength: 2 },
    ),
  }),
  cursor_update: fc.record({
    cursorId: fc.constantFrom('c1', 'c2', '__proto__'),
    anchor: maybe(
      fc.constantFrom(
        { type: 'user_message', messageId: 'm1', position: 'before' },
        { type: 'tool_call', toolCallId: 't1', position: 'after' },
        { type: '_page', page: 7 },
      ),
    ),
    capabilities: patch(fc.constantFrom({}, { fork: {} })),
    _meta: maybe(meta),
    replacesMeta: maybe(fc.constant(true as const)),
  }),
  subagent_update: fc.record({
    sessionId: fc.constantFrom('a', 'b', '__proto__'),
    title: patch(text),
    description: patch(text),
    cwd: patch(text),
    additionalDirectories: patch(fc.array(text, { maxLength: 2 })),
    capabilities: patch(fc.constantFrom({}, { cancel: {} })),
    state: patch(fc.constantFrom({ state: 'running' }, { state: 'idle', stopReason: 'end_turn' })),
    _meta: maybe(meta),
  }),
  replay_complete: fc.record({}),
  notice: fc.record({ severity: fc.constant('info'), title: text }),
  compaction_update: fc.record({
    compactionId: fc.constantFrom('c1', 'c2'),
    status: fc.constantFrom('in_progress', 'completed'),
    summary: patch(blocks),
    error: patch(text),
    _meta: maybe(meta),
  }),
  compaction_summary_chunk: fc.record({ compactionId: fc.constantFrom('c1', 'c2'), content: block }),
  _unknown: json.map((value) => ({
    sessionUpdate: '_unknown',
    update: { sessionUpdate: '_vendor/x', value },
  })),
};

/** Any valid update of the version-neutral model. */
export const anyUpdate: fc.Arbitrary<AnyUpdate> = fc
  .constantFrom(...(Object.keys(shapes) as AnyUpdate['sessionUpdate'][]))
  .chain((sessionUpdate) =>
    // The table is keyed by the tag: each shape is the rest of that tag's update.
    shapes[sessionUpdate].map((rest) => withoutUndefined({ sessionUpdate, ...rest }) as AnyUpdate),
  );
