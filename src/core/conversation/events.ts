import type { ContentBlock } from '../model/content.ts';
import type { ConversationEntry, MessageEntry, ToolCallEntry } from '../model/conversation.ts';
import type { ConversationEvent, TextEvent } from '../model/event.ts';
import type { Plan } from '../model/plan.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import type { ConversationObserver } from './draft.ts';
import { equal, freeze } from './equal.ts';
import type { Block } from './text-blocks.ts';

/** Describes each change of a conversation as an event. */
export function eventObserver(take: (event: ConversationEvent) => void): ConversationObserver {
  const takeAll = (events: readonly ConversationEvent[]) => events.forEach(take);
  return {
    entryAdded: (entry) => takeAll(entryAdded(entry)),
    entryReplaced: (before, after) => takeAll(entryReplaced(before, after)),
    entryRemoved: (entry) => entry && take({ type: 'entryRemoved', key: entry.key }),
    blockAppended(entry, block) {
      const event = entry && blockAppended(entry, block);
      if (event) take(event);
    },
    fieldSet(field, before, after) {
      if (equal(before, after)) return;
      // The compiler does not conclude the type of the values from that of the field.
      if (field === 'plans') takeAll(plansChanged(before as readonly Plan[], after as readonly Plan[]));
      else take({ type: 'fields', changed: freeze({ [field]: after }) });
    },
    terminalPut: (terminal) => take({ type: 'terminal', terminal }),
    outputAppended: (terminalId, text) => take({ type: 'terminalOutput', terminalId, text }),
    reset: (conversation) => take({ type: 'reset', conversation }),
  };
}

const textTypes: Readonly<Record<MessageEntry['role'], TextEvent['type']>> = {
  agent: 'text',
  thought: 'thought',
  user: 'userText',
};

/** The transitions append content blocks to messages and compactions, and tool call content to tool calls. */
function blockAppended(entry: ConversationEntry, block: Block): ConversationEvent | undefined {
  freeze(block);
  switch (entry.kind) {
    case 'message':
      return inMessage(entry, block as ContentBlock);
    case 'sessionMessage': {
      const { key, messageId } = entry;
      return { type: 'sessionMessageContent', key, messageId, block: block as ContentBlock };
    }
    case 'toolCall': {
      const { key, toolCallId } = entry;
      return { type: 'toolCallContent', key, toolCallId, content: block as ToolCallContent };
    }
    case 'compaction':
      return { type: 'compactionContent', compactionId: entry.compactionId, block: block as ContentBlock };
    case 'turnFailure':
    case 'unknown':
      return undefined;
  }
}

function inMessage({ key, role, messageId, origin }: MessageEntry, block: ContentBlock): ConversationEvent {
  return block.type === 'text'
    ? { type: textTypes[role], key, messageId, origin, text: block.text }
    : { type: 'content', key, role, messageId, origin, block };
}

/** The events of a new entry. */
export function entryAdded(entry: ConversationEntry): readonly ConversationEvent[] {
  freeze(entry);
  switch (entry.kind) {
    case 'message':
      return entry.content.map((block) => inMessage(entry, block));
    case 'sessionMessage':
      return [{ type: 'sessionMessage', message: entry }];
    case 'toolCall':
      return [{ type: 'toolCall', toolCall: entry, isNew: true }];
    case 'compaction':
      return [{ type: 'compaction', compaction: entry }];
    case 'turnFailure':
      return [{ type: 'turnFailure', failure: entry }];
    case 'unknown':
      return [{ type: 'unknown', entry }];
  }
}

/** The events of an entry that replaces another one of the same kind: what is new in it. */
export function entryReplaced(
  before: ConversationEntry | undefined,
  after: ConversationEntry,
): readonly ConversationEvent[] {
  freeze(after);
  if (after.kind === 'message') return messageReplaced(before as MessageEntry, after);
  if (after.kind !== 'toolCall') return entryAdded(after);
  const { permission } = after;
  const isAsked = permission !== null && !equal(permission, (before as ToolCallEntry).permission);
  return isAsked
    ? [{ type: 'permission', permission, toolCall: after }]
    : [{ type: 'toolCall', toolCall: after, isNew: false }];
}

/** What a message has beyond the one before, or all of it where it does not continue that one. */
function messageReplaced(before: MessageEntry, after: MessageEntry): readonly ConversationEvent[] {
  const added = continuation(before.content, after.content);
  if (!added) return [{ type: 'messageReplaced', message: after }];
  return added.map((block) => inMessage(after, block));
}

/** The blocks to append to `before` to get `after`. `undefined` where that is not possible. */
function continuation(
  before: readonly ContentBlock[],
  after: readonly ContentBlock[],
): readonly ContentBlock[] | undefined {
  const lastIndex = before.length - 1;
  if (lastIndex < 0) return after;
  const last = before[lastIndex];
  const same = after[lastIndex];
  if (!last || !same || !before.slice(0, -1).every((block, index) => equal(block, after[index]))) return;
  const rest = after.slice(before.length);
  if (equal(last, same)) return rest;
  if (last.type !== 'text' || same.type !== 'text' || !same.text.startsWith(last.text)) return;
  // Annotations and metadata are not text that can be appended.
  if (!equal({ ...last, text: '' }, { ...same, text: '' })) return;
  return [{ ...same, text: same.text.slice(last.text.length) }, ...rest];
}

/** What changed in the plans of a conversation. */
export function plansChanged(before: readonly Plan[], after: readonly Plan[]): readonly ConversationEvent[] {
  freeze(after);
  // An update changes one of up to 1,000 plans: those before it are the same objects.
  const changed = after.findIndex((plan, index) => plan !== before[index]);
  const start = changed === -1 ? after.length : changed;
  const later = after.slice(start);
  const known = new Map(before.slice(start).map((plan) => [plan.planId, plan]));
  const left = new Set(later.map(({ planId }) => planId));
  return [
    ...later
      .filter((plan) => !equal(plan, known.get(plan.planId)))
      .map((plan) => ({ type: 'plan', plan }) as const),
    ...[...known.keys()]
      .filter((id) => !left.has(id))
      .map((planId) => ({ type: 'planRemoved', planId }) as const),
  ];
}
