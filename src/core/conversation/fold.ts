import type { AnyUpdate } from '../model/client-update.ts';
import type { Conversation, EntryOrigin } from '../model/conversation.ts';
import type { ConversationUpdate } from '../model/update.ts';
import { Draft } from './draft.ts';
import { freeze } from './equal.ts';
import { reduce } from './reduce.ts';

/** Returns a conversation without entries. */
export function emptyConversation(sessionId: string): Conversation {
  return freeze({
    sessionId,
    entries: [],
    plans: [],
    terminals: {},
    activity: { state: 'idle', stopReason: null },
    info: { title: null, updatedAt: null },
    usage: null,
    commands: [],
    configOptions: [],
    modes: null,
    suggestions: [],
    meta: null,
  });
}

/** Options of {@link foldUpdate} and {@link foldUpdates}. */
export interface FoldOptions {
  /** `origin` of the entries that the updates create. Default: `live`. */
  readonly origin?: Exclude<EntryOrigin, 'local'> | undefined;
}

/** The draft behind the latest conversation of a loop, so that the next update does not index all entries again. */
const drafts = new WeakMap<Conversation, Draft>();

/**
 * Folds one update into a conversation and returns the new conversation.
 *
 * The function is pure. It never changes `conversation`, which can also come from `JSON.parse`. It does not check the
 * fields of the update: a connection checks what an agent sends, and `foldTraffic` what a recording has. For updates of
 * their type it never throws. An update of an unknown kind is kept as an entry, and a value that is not an update changes
 * nothing. An update that changes nothing returns the same object. Parts that an update did not change keep their
 * identity. The parts of an update that become part of the conversation are frozen.
 *
 * Each call that changes an entry copies the list of entries. Use {@link foldUpdates} for many updates, and
 * {@link createConversationStore} for updates that arrive over time.
 *
 * @example
 * ```ts
 * const conversation = foldUpdate(emptyConversation('s1'), {
 *   sessionUpdate: 'agent_message_chunk',
 *   messageId: 'm1',
 *   content: { type: 'text', text: 'Hello.' },
 * });
 * ```
 */
export function foldUpdate(
  conversation: Conversation,
  update: ConversationUpdate,
  options: FoldOptions = {},
): Conversation {
  let draft = drafts.get(conversation);
  if (!draft?.continues(conversation)) draft = new Draft(conversation);
  draft.origin = options.origin ?? 'live';
  reduce(draft, update);
  const next = draft.snapshot();
  drafts.set(next, draft);
  return next;
}

/**
 * Folds many updates in order. Returns the same as {@link foldUpdate} in a loop, in linear time: the list of
 * entries is copied once, and a message is joined from its chunks once.
 *
 * @example
 * ```ts
 * const conversation = foldUpdates(emptyConversation('s1'), recordedUpdates);
 * ```
 */
export function foldUpdates(
  conversation: Conversation,
  updates: Iterable<ConversationUpdate>,
  options: FoldOptions = {},
): Conversation {
  return foldAnyUpdates(conversation, updates, options.origin);
}

/** As {@link foldUpdates}, also for the updates that only the client makes. */
export function foldAnyUpdates(
  conversation: Conversation,
  updates: Iterable<AnyUpdate>,
  origin: EntryOrigin = 'live',
): Conversation {
  const draft = new Draft(conversation);
  draft.origin = origin;
  for (const update of updates) reduce(draft, update);
  return draft.snapshot();
}
