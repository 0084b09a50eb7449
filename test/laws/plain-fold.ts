import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  MessageEntry,
  SessionMessageEntry,
  ToolCallEntry,
} from '../../src/core/model/conversation.ts';
import type {
  MessageChunk,
  ToolCallAnnounced,
  ToolCallFields,
  ToolCallUpdate,
  UnknownUpdate,
} from '../../src/core/model/update.ts';

type KnownUpdate = Exclude<AnyUpdate, UnknownUpdate>;

/**
 * A second implementation of the fold, as simple as possible: each update creates new objects, and entries are searched
 * from the beginning. It is slow. Property tests compare the library's fold with it.
 */
export function plainFold(
  conversation: Conversation,
  updates: readonly AnyUpdate[],
  origin: 'replay' | 'live' = 'live',
): Conversation {
  return updates.reduce((before, update) => {
    if (update.sessionUpdate === '_unknown') {
      const raw = update.update;
      const key = freeKey(before.entries, 'unknown');
      return appended(before, { kind: 'unknown', key, tag: `${raw['sessionUpdate']}`, raw, origin });
    }
    // Each entry of the table takes the update of its own tag.
    const step = steps[update.sessionUpdate] as (
      before: Conversation,
      update: KnownUpdate,
      origin: 'replay' | 'live',
    ) => Conversation;
    return withTerminalsEnded(before, step(before, update, origin));
  }, conversation);
}

type Block = { readonly type: string };
type Step<K> = (
  before: Conversation,
  update: Extract<KnownUpdate, { readonly sessionUpdate: K }>,
  origin: 'replay' | 'live',
) => Conversation;

const steps: { readonly [K in KnownUpdate['sessionUpdate']]: Step<K> } = {
  user_message_chunk: (before, update, origin) => chunk(before, 'user', update, origin),
  agent_message_chunk: (before, update, origin) => chunk(before, 'agent', update, origin),
  agent_thought_chunk: (before, update, origin) => chunk(before, 'thought', update, origin),
  user_message: (before, update, origin) => message(before, 'user', update, origin),
  agent_message: (before, update, origin) => message(before, 'agent', update, origin),
  agent_thought: (before, update, origin) => message(before, 'thought', update, origin),

  session_message: (before, update, origin) =>
    onSessionMessage(before, update.messageId, origin, (message) => ({
      ...message,
      ...defined(update, ['senderSessionId', 'recipientSessionId', 'senderMessageId', 'recipientMessageId']),
      content: update.content === undefined ? message.content : joined(update.content ?? []),
      meta: patchedMeta(message.meta, update._meta),
    })),
  session_message_chunk: (before, { messageId, content }, origin) =>
    onSessionMessage(before, messageId, origin, (message) => ({
      ...message,
      content: withBlock(message.content, content),
    })),

  prompt_submitted: (before, { key, content }) =>
    before.entries.some((entry) => entry.key === key)
      ? before
      : appended(
          { ...before, suggestions: [] },
          {
            kind: 'message',
            key,
            role: 'user',
            messageId: null,
            content: joined(content),
            origin: 'local',
            meta: null,
          },
        ),
  prompt_settled(before, { key, accepted, messageId = null }) {
    const prompt = before.entries.find((entry) => entry.key === key);
    if (prompt?.kind !== 'message') return before;
    if (!accepted) return prompt.origin === 'local' ? without(before, prompt) : before;
    if (messageId !== null && prompt.messageId === messageId) return before;
    if (messageId === null || prompt.messageId !== null) {
      return replaced(before, prompt, { ...prompt, origin: 'live' });
    }
    const echo = before.entries.find(isMessage('user', messageId));
    if (!echo) return replaced(before, prompt, { ...prompt, messageId });
    // A prompt that is sent again stays where it was.
    if (before.entries.indexOf(echo) < before.entries.indexOf(prompt) - 1) return without(before, prompt);
    const { content, meta } = echo;
    return without(replaced(before, prompt, { ...prompt, content, meta, messageId, origin: 'live' }), echo);
  },

  prompt_suggestions_update: (before, { suggestions }) => ({
    ...before,
    suggestions: suggestions.map(({ prompt, _meta }) => ({ prompt, meta: _meta ?? null })),
  }),

  pending_messages({ pendingMessages: _, ...before }, { messages }) {
    return messages.length === 0 ? before : { ...before, pendingMessages: messages };
  },

  tool_call(before, update, origin) {
    const known = calledBy(before, update, origin);
    const next = patched(known, update);
    if (repeatsEarlier(before, known, next)) return without(before, known);
    // A second announcement does not reset the status.
    return withCall(before, known, next.status === 'pending' ? { ...next, status: known.status } : next);
  },
  tool_call_update(before, update, origin) {
    const known = calledBy(before, update, origin);
    const next = patched(known, update);
    return repeatsEarlier(before, known, next) ? without(before, known) : withCall(before, known, next);
  },
  tool_call_content_chunk(before, { toolCallId, content }, origin) {
    const known = callNow(before, toolCallId) ?? newToolCall(before, toolCallId, origin);
    return withCall(before, known, { ...known, content: withBlock(known.content, content) });
  },
  permission_update(before, { toolCallId, permission }, origin) {
    const open = openCalls(before, toolCallId);
    const over = open.find((call) => call.permission);
    const last = open.at(-1)?.permission ? undefined : open.at(-1);
    // The client asks about calls that it has: a new one takes no terminal from an earlier one.
    if (permission && !last)
      return appended(before, { ...newToolCall(before, toolCallId, origin), permission });
    const known = permission ? last : over;
    return known ? replaced(before, known, { ...known, permission }) : before;
  },
  tool_progress(before, { toolCallId, progress }) {
    const now = callNow(before, toolCallId);
    return openCalls(before, toolCallId).reduce((all, call) => {
      if (progress && call !== now) return all;
      return replaced(all, call, progress ? { ...call, progress } : withoutProgress(call));
    }, before);
  },
  unfinished_cancelled: (before, { except }) => ({
    ...before,
    entries: before.entries.map((entry) =>
      entry.kind === 'toolCall' &&
      !hasEnded(entry.status) &&
      !isInBackground(before, entry) &&
      (entry.status !== except || entry.origin === 'replay')
        ? { ...withoutProgress(entry), status: 'cancelled', permission: null }
        : entry,
    ),
  }),

  terminal_update(all, update) {
    const isAnother = update.command && !update.exitStatus && terminalOf(all, update.terminalId).exitStatus;
    const before = isAnother ? withOutputKept(all, update.terminalId) : all;
    const known = terminalOf(before, update.terminalId);
    if (known.owner === 'client') return before;
    const { output } = update;
    const data = output === null ? '' : output?.data;
    return withTerminal(before, {
      ...(data === undefined ? known : printed(silent(known), decoded(data))),
      ...defined(update, ['command', 'cwd', 'exitStatus', 'size', 'capabilities']),
      meta: patchedMeta(known.meta, update._meta),
    });
  },
  terminal_output_chunk(before, { terminalId, data }) {
    const known = terminalOf(before, terminalId);
    if (known.owner === 'client') return before;
    return withTerminal(before, printed(known, decoded(data)));
  },

  terminal_output_reported(before, { terminalId, data }) {
    const known = terminalOf(before, terminalId);
    if (known.owner === 'client') return before;
    const isSilent = known.output === '' && known.droppedBytes === 0 && !known.incompleteBytes;
    return isSilent ? withTerminal(before, printed(known, decoded(data))) : before;
  },

  terminal_started: (before, { terminalId, command, argv, cwd }) =>
    withTerminal(before, { ...newTerminal(terminalId), owner: 'client', command, argv, cwd }),
  terminal_printed: (before, { terminalId, text }) =>
    onClientTerminal(before, terminalId, (terminal) => printed(terminal, Buffer.from(text))),
  terminal_read: (before, { terminalId, output, truncated }) =>
    onClientTerminal(before, terminalId, (terminal) => {
      const read = Buffer.from(output);
      const lost = terminal.droppedBytes + Buffer.byteLength(terminal.output) - read.length;
      return printed({ ...silent(terminal), droppedBytes: truncated ? Math.max(1, lost) : 0 }, read);
    }),
  terminal_exited: (before, { terminalId, exitStatus }) =>
    onClientTerminal(before, terminalId, () => ({ exitStatus })),

  plan_update(before, { plan, _meta }) {
    const { planId } = plan;
    const ofPlan = patchedMeta(null, plan._meta as Conversation['meta'] | undefined);
    const meta = patchedMeta(ofPlan, _meta);
    const { _meta: _, ...sent } = plan as { readonly path?: unknown } & typeof plan;
    const { path, ...rest } = sent;
    const hasNoFile = plan.type === 'markdown' && path === null;
    const next = { ...(hasNoFile ? rest : sent), ...(meta && { _meta: meta }) };
    const isKnown = before.plans.some((other) => other.planId === planId);
    const plans = isKnown
      ? before.plans.map((other) => (other.planId === planId ? next : other))
      : [...before.plans, next];
    return { ...before, plans: plans as Conversation['plans'] };
  },
  plan(before, { entries, ...rest }, origin) {
    const plan = { type: 'items', planId: 'plan', entries } as const;
    return steps.plan_update(before, { ...rest, sessionUpdate: 'plan_update', plan }, origin);
  },
  plan_removed: (before, { planId }) => ({
    ...before,
    plans: before.plans.filter((plan) => plan.planId !== planId),
  }),
  state_update: (before, { state, stopReason = null, error, usage, background, _meta }) => ({
    ...before,
    activity: {
      state,
      stopReason,
      ...(error && { error }),
      ...(usage && { usage }),
      ...(background && { background }),
      ...(_meta && { _meta }),
    },
  }),
  available_commands_update: (before, { availableCommands }) => ({
    ...before,
    // A recording can lack the type.
    commands: availableCommands.map((each) =>
      each.type === undefined ? Object.assign({}, each, { type: 'command' }) : each,
    ),
  }),
  current_mode_update: (before, { currentModeId }) => ({
    ...before,
    modes: { availableModes: before.modes?.availableModes ?? [], currentModeId },
  }),
  modes_update: (before, { modes }) => ({ ...before, modes }),
  models_update: (before, { models }) => ({ ...before, models }),
  config_option_update: (before, { configOptions }) => ({ ...before, configOptions }),
  session_info_update: (before, update) => ({
    ...before,
    info: { ...before.info, ...defined(update, ['title', 'updatedAt']) },
    meta: patchedMeta(before.meta, update._meta),
  }),
  usage_update: (before, { used, size, cost = before.usage?.cost ?? null, _meta }) => ({
    ...before,
    usage: { used, size, cost, ...withLimits(before.usage?._meta, _meta) },
  }),
  notice: (before) => before,
  replay_complete: (before) => before,
  cursor_update(before, { cursorId, anchor: placed, capabilities, _meta, replacesMeta }) {
    const cursors = before.cursors ?? [];
    const known = cursors.find((each) => each.cursorId === cursorId);
    const anchor = known?.anchor ?? placed;
    if (!anchor) return before;
    const earlier = known?.meta ?? null;
    const meta = replacesMeta && _meta !== undefined ? _meta : patchedMeta(earlier, _meta);
    const next = {
      cursorId,
      anchor,
      capabilities: capabilities === undefined ? (known?.capabilities ?? null) : capabilities,
      meta,
    };
    return {
      ...before,
      cursors: known ? cursors.map((each) => (each === known ? next : each)) : [...cursors, next],
    };
  },
  subagent_update(before, update) {
    const subagents = before.subagents ?? [];
    const known = subagents.find(({ sessionId }) => sessionId === update.sessionId);
    const next = {
      ...(known ?? {
        sessionId: update.sessionId,
        title: null,
        description: null,
        cwd: null,
        additionalDirectories: null,
        capabilities: null,
      }),
      ...defined(update, ['title', 'description', 'cwd', 'additionalDirectories', 'capabilities']),
      meta: patchedMeta(known?.meta ?? null, update._meta),
    };
    return {
      ...before,
      subagents: known ? subagents.map((each) => (each === known ? next : each)) : [...subagents, next],
    };
  },

  turn_failed: (before, { cause, reason, code = null }, origin) =>
    appended(before, {
      kind: 'turnFailure',
      key: freeKey(before.entries, 'turnFailure'),
      cause,
      reason,
      code,
      origin,
    }),
  history_added(before, { entries, terminals = [], replaces = [], completed = [] }) {
    const kept = before.entries
      .filter(({ key }) => !replaces.includes(key))
      .map((entry) => {
        const whole = completed.findLast(
          (other) => other.key === entry.key && other.kind === entry.kind && hasEqualId(other, entry),
        );
        return whole ? withJoinedTexts(whole) : entry;
      });
    const base = terminals.reduce<Conversation>(
      (all, terminal) => withTerminal(withOutputKept(all, terminal.terminalId), terminal),
      { ...before, entries: kept },
    );
    return entries.reduce((conversation, entry) => {
      const isKnown = conversation.entries.some((known) => hasSameId(known, entry));
      if (isKnown && entry.kind !== 'toolCall') return conversation;
      const isTaken = conversation.entries.some(({ key }) => key === entry.key);
      const key = isTaken ? freeKey(conversation.entries, entry.key) : entry.key;
      return appended(conversation, withJoinedTexts({ ...entry, key }));
    }, base);
  },

  compaction_update: (before, update, origin) =>
    onCompaction(before, update.compactionId, origin, (compaction) => ({
      ...compaction,
      status: update.status,
      summary: update.summary === undefined ? compaction.summary : joined(update.summary ?? []),
      error: update.error === undefined ? compaction.error : update.error,
      meta: patchedMeta(compaction.meta, update._meta),
    })),
  compaction_summary_chunk: (before, { compactionId, content }, origin) =>
    onCompaction(before, compactionId, origin, (compaction) => ({
      ...compaction,
      summary: withBlock(compaction.summary, content),
    })),
};

function appended(before: Conversation, entry: ConversationEntry): Conversation {
  return { ...before, entries: [...before.entries, entry] };
}

function replaced(before: Conversation, old: ConversationEntry, entry: ConversationEntry): Conversation {
  return { ...before, entries: before.entries.map((other) => (other === old ? entry : other)) };
}

function without(before: Conversation, entry: ConversationEntry): Conversation {
  return { ...before, entries: before.entries.filter(({ key }) => key !== entry.key) };
}

const isMessage =
  (role: MessageEntry['role'], messageId: string | null) =>
  (entry: ConversationEntry): entry is MessageEntry =>
    entry.kind === 'message' && entry.role === role && entry.messageId === messageId;

const isToolCall =
  (toolCallId: string) =>
  (entry: ConversationEntry): entry is ToolCallEntry =>
    entry.kind === 'toolCall' && entry.toolCallId === toolCallId;

const isSessionMessage =
  (messageId: string) =>
  (entry: ConversationEntry): entry is SessionMessageEntry =>
    entry.kind === 'sessionMessage' && entry.messageId === messageId;

function hasSameId(a: ConversationEntry, b: ConversationEntry): boolean {
  if (a.kind === 'message' && a.messageId !== null) return isMessage(a.role, a.messageId)(b);
  if (a.kind === 'sessionMessage') return isSessionMessage(a.messageId)(b);
  if (a.kind === 'toolCall') return isToolCall(a.toolCallId)(b);
  return a.kind === 'compaction' && b.kind === 'compaction' && a.compactionId === b.compactionId;
}

function hasEqualId(a: ConversationEntry, b: ConversationEntry): boolean {
  const fields = ['role', 'messageId', 'toolCallId', 'compactionId'];
  return fields.every((field) => Reflect.get(a, field) === Reflect.get(b, field));
}

function freeKey(entries: readonly ConversationEntry[], kind: string): string {
  let count = entries.length;
  while (entries.some(({ key }) => key === `${kind}#${count}`)) count++;
  return `${kind}#${count}`;
}

/** The given keys of an update whose value is not `undefined`. */
function defined<T extends object, K extends keyof T>(update: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const entries = keys.filter((key) => update[key] !== undefined).map((key) => [key, update[key]]);
  return Object.fromEntries(entries);
}

function patchedMeta(current: Conversation['meta'], patch: Conversation['meta'] | undefined) {
  if (patch === undefined) return current;
  if (patch === null) return null;
  return Object.fromEntries(Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null));
}

/** Appends a block. Plain text extends a last block of plain text. */
function withBlock<T extends Block>(blocks: readonly T[], block: T): readonly T[] {
  const last = blocks.at(-1);
  if (!isPlainText(block)) return [...blocks, block];
  // A text block is a member of both unions of blocks.
  if (!last || !isPlainText(last)) return [...blocks, { type: 'text', text: block.text } as Block as T];
  if (block.text === '') return blocks;
  return [...blocks.slice(0, -1), { type: 'text', text: last.text + block.text } as Block as T];
}

/** A whole message has the blocks that its chunks would give. */
function joined(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.reduce<readonly ContentBlock[]>(withBlock, []);
}

function withJoinedTexts(entry: ConversationEntry): ConversationEntry {
  if (entry.kind === 'compaction') return { ...entry, summary: joined(entry.summary) };
  if (entry.kind !== 'message' && entry.kind !== 'sessionMessage') return entry;
  return { ...entry, content: joined(entry.content) };
}

function isPlainText(block: Block): block is { readonly type: 'text'; readonly text: string } {
  return (
    block.type === 'text' &&
    Object.entries(block).every(([key, value]) => key === 'type' || key === 'text' || value == null)
  );
}

/** The message that an update refers to, with its id. It is added if there is none. */
function named(
  before: Conversation,
  role: MessageEntry['role'],
  messageId: string | null,
  origin: 'replay' | 'live',
  meta: ChunkMeta = null,
): readonly [conversation: Conversation, message: MessageEntry, isNew: boolean] {
  const last = before.entries.at(-1);
  const previous =
    last?.kind === 'message' && last.role === role && last.origin !== 'local' ? last : undefined;
  const open = previous && isOneSpeaker(previous.meta ?? {}, meta ?? {}) ? previous : undefined;
  const confirmed = (entry: MessageEntry) => {
    // The agent may have rewritten the prompt, so its echo replaces the local content.
    const next: MessageEntry =
      entry.origin === 'local'
        ? { ...entry, messageId, content: [], origin: 'live' }
        : { ...entry, messageId };
    return [replaced(before, entry, next), next, false] as const;
  };
  if (messageId === null) {
    if (open) return [before, open, false];
  } else {
    const known = before.entries.find(isMessage(role, messageId));
    if (known) return known.origin === 'local' ? confirmed(known) : [before, known, false];
    const waiting = before.entries.find(
      (entry): entry is MessageEntry => isMessage('user', null)(entry) && entry.origin === 'local',
    );
    if (role === 'user' && origin === 'live' && waiting) return confirmed(waiting);
    if (open?.messageId === null) return confirmed(open);
  }
  return begun(before, role, messageId, origin, meta);
}

type ChunkMeta = MessageEntry['meta'] | undefined;

function isOneSpeaker(one: JsonObject, other: JsonObject): boolean {
  const [parents, prompts] = ['parentToolCallId', 'promptId'].map((key) => [
    one[key] ?? null,
    other[key] ?? null,
  ]);
  return new Set(parents).size < 2 && new Set(prompts?.filter((prompt) => prompt !== null)).size < 2;
}

function begun(
  before: Conversation,
  role: MessageEntry['role'],
  messageId: string | null,
  origin: 'replay' | 'live',
  meta: ChunkMeta = null,
): readonly [conversation: Conversation, message: MessageEntry, isNew: boolean] {
  const key = messageId === null ? freeKey(before.entries, role) : `${role}:${messageId}`;
  const begun: MessageEntry = {
    kind: 'message',
    key,
    role,
    messageId,
    content: [],
    origin,
    meta: patchedMeta(null, meta),
  };
  const kept = role === 'user' || origin === 'replay' ? { ...before, suggestions: [] } : before;
  return [appended(kept, begun), begun, true];
}

function chunk(
  before: Conversation,
  role: MessageEntry['role'],
  { messageId = null, content, _meta, begins }: MessageChunk,
  origin: 'replay' | 'live',
): Conversation {
  const last = before.entries.at(-1);
  const isNextPrompt =
    origin === 'replay' &&
    role === 'user' &&
    messageId === null &&
    content.type === 'text' &&
    last?.kind === 'message' &&
    last.role === 'user' &&
    last.messageId === null &&
    last.content.at(-1)?.type === 'text';
  const isEcho =
    origin === 'live' &&
    role === 'user' &&
    messageId === null &&
    content.type === 'text' &&
    last?.kind === 'message' &&
    last.origin === 'local' &&
    last.messageId === null &&
    last.content.length === 1 &&
    last.content[0]?.type === 'text' &&
    last.content[0].text === content.text;
  if (isEcho && !begins) {
    const echoed: MessageEntry = { ...last, content: withBlock([], content), origin: 'live' };
    return replaced(before, last, echoed);
  }
  const [conversation, entry] =
    isNextPrompt || begins
      ? begun(before, role, messageId, origin, _meta)
      : named(before, role, messageId, origin, _meta);
  return replaced(conversation, entry, { ...entry, content: withBlock(entry.content, content) });
}

function message(
  before: Conversation,
  role: MessageEntry['role'],
  update: Extract<
    KnownUpdate,
    { readonly sessionUpdate: 'user_message' | 'agent_message' | 'agent_thought' }
  >,
  origin: 'replay' | 'live',
): Conversation {
  const [conversation, entry] = named(before, role, update.messageId, origin);
  return replaced(conversation, entry, {
    ...entry,
    content: update.content === undefined ? entry.content : joined(update.content ?? []),
    meta: patchedMeta(entry.meta, update._meta),
  });
}

function newToolCall(before: Conversation, toolCallId: string, origin: 'replay' | 'live'): ToolCallEntry {
  const keys = new Set(before.entries.map(({ key }) => key));
  let count = before.entries.filter(isToolCall(toolCallId)).length + 1;
  while (keys.has(`tool#${count}:${toolCallId}`)) count++;
  return {
    kind: 'toolCall',
    key: count === 1 ? `tool:${toolCallId}` : `tool#${count}:${toolCallId}`,
    toolCallId,
    title: null,
    toolKind: 'other',
    name: null,
    status: 'pending',
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin,
    meta: null,
  };
}

/** Replaces a call, or adds it after what earlier calls with its id show has got other ids. */
function withCall(before: Conversation, known: ToolCallEntry, call: ToolCallEntry): Conversation {
  if (before.entries.includes(known)) return replaced(before, known, call);
  return appended(withOutputKept(before, call.toolCallId), call);
}

const openCalls = ({ entries }: Conversation, toolCallId: string): readonly ToolCallEntry[] =>
  entries.filter(isToolCall(toolCallId)).filter(({ status }) => !hasEnded(status));

const lastQuestion = ({ entries }: Conversation) =>
  entries.findLastIndex(
    (entry) => entry.kind === 'message' && entry.role === 'user' && !entry.key.startsWith('steer:'),
  );

/** The call that a report under an id is about: one of this turn that has its answer, one that waits, or the newest. */
function callNow(before: Conversation, toolCallId: string): ToolCallEntry | undefined {
  const newest = before.entries.findLast(isToolCall(toolCallId));
  if (before.entries.filter(isToolCall(toolCallId)).length < 2) return newest;
  const ofTurn = new Set<unknown>(before.entries.slice(lastQuestion(before) + 1));
  const open = openCalls(before, toolCallId);
  const waiting = open.filter(({ permission }) => permission !== null);
  const others = open.filter((call) => call.permission === null && ofTurn.has(call));
  return [...others, ...waiting][0] ?? newest;
}

/** The call that an update is about, or a new one. */
function calledBy(
  before: Conversation,
  update: ToolCallUpdate | ToolCallAnnounced,
  origin: 'replay' | 'live',
): ToolCallEntry {
  const { toolCallId } = update;
  const isReport = update.sessionUpdate === 'tool_call_update' && !update.asks;
  const known = isReport ? callNow(before, toolCallId) : before.entries.findLast(isToolCall(toolCallId));
  return known && !isOfAnother(before, known, update, origin)
    ? known
    : newToolCall(before, toolCallId, origin);
}

/** Whether an update that names what is called is about another call than a known one with its id. */
function isOfAnother(
  before: Conversation,
  call: ToolCallEntry,
  update: ToolCallUpdate | ToolCallAnnounced,
  origin: 'replay' | 'live',
): boolean {
  const { title = null, rawInput = null, status = null } = update;
  const isAnnounced = update.sessionUpdate === 'tool_call';
  const asks = 'asks' in update && update.asks === true;
  const isWhole = status !== null && (title !== null || rawInput !== null);
  if (!isAnnounced && !asks && !isWhole) return false;
  const hasOtherName = title !== null && call.title !== null && title !== call.title;
  const hasOtherInput =
    rawInput !== null && call.rawInput !== undefined && !isDeepStrictEqual(rawInput, call.rawInput);
  const isOther = hasOtherName || hasOtherInput;
  if (call.permission) return asks || (isAnnounced && isOther);
  const isEnd = status !== null && hasEnded(status);
  const isEarlier = before.entries.indexOf(call) < lastQuestion(before) && !isInBackground(before, call);
  if (call.status === 'completed' || call.status === 'failed') {
    if (asks || isOther) return true;
    if (!isAnnounced && isEnd && origin === 'live') return false;
    if (isEarlier) return true;
    const isSaid = (['content', 'rawOutput'] as const).every(
      (name) =>
        update[name] == null || call[name] === undefined || isDeepStrictEqual(update[name], call[name]),
    );
    const isSilent = call.content.length === 0 && call.rawOutput === undefined;
    return !isSaid || (!isEnd && !(isAnnounced && isSilent));
  }
  const isOver = call.status === 'cancelled' || call.origin === 'replay' || isAnnounced || asks;
  return isEarlier && isOver && (isOther || !isEnd);
}

/** Whether the first report of a call, under another title, is the end of the call before it with the same id. */
function repeatsEarlier({ entries }: Conversation, call: ToolCallEntry, next: ToolCallEntry): boolean {
  const earlier = entries.slice(0, Math.max(0, entries.indexOf(call))).findLast(isToolCall(call.toolCallId));
  const names = ['status', 'title', 'rawInput', 'rawOutput', 'content'] as const;
  const isSame = names.every((name) => isDeepStrictEqual(earlier?.[name], next[name]));
  return isSame && hasEnded(next.status) && call.status === 'pending' && call.title !== next.title;
}

function isInBackground({ activity }: Conversation, { toolCallId }: ToolCallEntry): boolean {
  return (activity.background ?? []).some(
    (work) => work.type === 'tool_call' && work['toolCallId'] === toolCallId,
  );
}

/** What the newest call with an id shows of the terminal with this id is a terminal of its own. */
function withOutputKept(before: Conversation, id: string): Conversation {
  const call = before.entries.findLast(isToolCall(id));
  const terminal = terminalOf(before, id);
  const isUsed = terminal.output !== '' || terminal.exitStatus !== null;
  if (!call || !hasEnded(call.status) || !Object.hasOwn(before.terminals, id) || !isUsed) return before;
  if (terminal.owner === 'client') return before;
  const content = call.content.map((item) =>
    item.type === 'terminal' && item.terminalId === id ? { ...item, terminalId: call.key } : item,
  );
  const kept = withTerminal(before, { ...terminal, terminalId: call.key });
  return replaced(withTerminal(kept, newTerminal(id)), call, { ...call, content });
}

/** A terminal of the agent ends with the last call that shows it. */
function withTerminalsEnded(before: Conversation, after: Conversation): Conversation {
  const isNew = (id: string) => !Object.hasOwn(before.terminals, id);
  const named = Object.keys(after.terminals)
    .filter(isNew)
    .map((id) => after.entries.findLast(isToolCall(id)));
  return Object.values(after.terminals).reduce((all, terminal) => {
    const { terminalId, owner, exitStatus } = terminal;
    const calls = after.entries.filter(
      (entry): entry is ToolCallEntry =>
        entry.kind === 'toolCall' &&
        entry.content.some((item) => item.type === 'terminal' && item.terminalId === terminalId),
    );
    const wasOver = ({ key }: ToolCallEntry) =>
      before.entries.some(
        (entry) => entry.key === key && entry.kind === 'toolCall' && hasEnded(entry.status),
      );
    const isOver = calls.every(({ status }) => hasEnded(status));
    const ends = calls.some((call) => named.includes(call) || !wasOver(call));
    if (owner === 'client' || exitStatus || !isOver || !ends) return all;
    return withTerminal(all, { ...terminal, exitStatus: { exitCode: null, signal: null } });
  }, after);
}

const hasEnded = (status: string) => ['completed', 'failed', 'cancelled'].includes(status);

function patched(call: ToolCallEntry, update: ToolCallFields): ToolCallEntry {
  const { kind, status, content, locations, rawInput, rawOutput } = update;
  const next = {
    ...call,
    ...defined(update, ['title', 'name', 'capabilities', 'rawInput', 'rawOutput']),
    toolKind: kind === undefined ? call.toolKind : (kind ?? 'other'),
    status: status === undefined ? call.status : (status ?? 'pending'),
    content: content === undefined ? call.content : (content ?? []),
    locations: locations === undefined ? call.locations : (locations ?? []),
    meta: patchedMeta(call.meta, update._meta),
  };
  if (rawInput === null) delete next.rawInput;
  if (rawOutput === null) delete next.rawOutput;
  return hasEnded(next.status) ? { ...withoutProgress(next), permission: null } : next;
}

function withoutProgress({ progress: _, ...call }: ToolCallEntry): ToolCallEntry {
  return call;
}

function onSessionMessage(
  before: Conversation,
  messageId: string,
  origin: 'replay' | 'live',
  change: (entry: SessionMessageEntry) => SessionMessageEntry,
): Conversation {
  const known = before.entries.find(isSessionMessage(messageId));
  if (known) return replaced(before, known, change(known));
  return appended(
    before,
    change({
      kind: 'sessionMessage',
      key: `session:${messageId}`,
      messageId,
      senderSessionId: null,
      recipientSessionId: null,
      senderMessageId: null,
      recipientMessageId: null,
      content: [],
      origin,
      meta: null,
    }),
  );
}

function onCompaction(
  before: Conversation,
  compactionId: string,
  origin: 'replay' | 'live',
  change: (entry: Extract<ConversationEntry, { kind: 'compaction' }>) => ConversationEntry,
): Conversation {
  const known = before.entries.find(
    (entry) => entry.kind === 'compaction' && entry.compactionId === compactionId,
  );
  if (known?.kind === 'compaction') return replaced(before, known, change(known));
  return appended(
    before,
    change({
      kind: 'compaction',
      key: `compaction:${compactionId}`,
      compactionId,
      status: 'in_progress',
      summary: [],
      error: null,
      origin,
      meta: null,
    }),
  );
}

function terminalOf(before: Conversation, terminalId: string): ConversationTerminal {
  const known = Object.entries(before.terminals).find(([id]) => id === terminalId)?.[1];
  return known ?? newTerminal(terminalId);
}

function newTerminal(terminalId: string): ConversationTerminal {
  return {
    terminalId,
    owner: 'agent',
    command: null,
    argv: null,
    cwd: null,
    output: '',
    droppedBytes: 0,
    exitStatus: null,
    size: null,
    capabilities: null,
    meta: null,
  };
}

function onClientTerminal(
  before: Conversation,
  terminalId: string,
  change: (terminal: ConversationTerminal) => Partial<ConversationTerminal>,
): Conversation {
  const known = terminalOf(before, terminalId);
  return known.owner === 'client' ? withTerminal(before, { ...known, ...change(known) }) : before;
}

function withTerminal(before: Conversation, terminal: ConversationTerminal): Conversation {
  const others = Object.entries(before.terminals).filter(([id]) => id !== terminal.terminalId);
  return { ...before, terminals: Object.fromEntries([...others, [terminal.terminalId, terminal]]) };
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function silent({ incompleteBytes: _, ...terminal }: ConversationTerminal): ConversationTerminal {
  return { ...terminal, output: '', droppedBytes: 0 };
}

/** Output beyond 1 MiB is dropped from the start, in pieces of 64 KiB and the rest of a character. */
function printed(terminal: ConversationTerminal, bytes: Buffer): ConversationTerminal {
  const { incompleteBytes = [], ...rest } = terminal;
  const all = Buffer.concat([Buffer.from(incompleteBytes), bytes]);
  const decode = (piece: Buffer, stream: boolean) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece, { stream });
  const text = decode(all, true);
  const end = [0, 1, 2, 3].find((count) => decode(all.subarray(0, all.length - count), false) === text);
  let output = terminal.output + text;
  let { droppedBytes } = terminal;
  const total = droppedBytes + Buffer.byteLength(output);
  let start = 0;
  while (total - start > 1024 * 1024) start += 64 * 1024;
  while (droppedBytes < start) {
    const [character = ''] = output;
    droppedBytes += Buffer.byteLength(character);
    output = output.slice(character.length);
  }
  return { ...rest, output, droppedBytes, ...(end && { incompleteBytes: [...all.subarray(-end)] }) };
}

/** The metadata of a usage. The limits of a plan stay, until they are replaced. */
function withLimits(before: JsonObject = {}, after: JsonObject | null | undefined) {
  if (after === null) return {};
  const limits = ['_claude/rateLimit', '_codex/rateLimits', 'kimiCode'];
  const kept = Object.entries(before).filter(([key]) => limits.includes(key));
  return after || kept.length > 0 ? { _meta: { ...Object.fromEntries(kept), ...after } } : {};
}
