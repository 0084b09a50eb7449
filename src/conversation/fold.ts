import type { Conversation, Origin } from '../model/conversation.ts';
import type { ConversationUpdate } from '../model/update.ts';
import { Draft } from './draft.ts';
import { freeze } from './equal.ts';
import { reduce } from './reduce.ts';

/** A conversation in which nothing was said yet. */
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
    meta: null,
  });
}

/** Where the updates come from; decides the `origin` of entries that begin with them. Default: `live`. */
export interface FoldOptions {
  readonly origin?: Exclude<Origin, 'local'>;
}

/** The draft behind each conversation, so that folding on from the newest one costs what the update costs. */
const drafts = new WeakMap<Conversation, Draft>();

/**
 * Folds one update into a conversation, and gives the new one. Pure and total: it never throws and never writes to
 * the conversation, which may come from anywhere, `JSON.parse` included. An update that changes nothing gives the
 * same object back.
 *
 * What of the update becomes part of the conversation is frozen. Folding on from the newest conversation costs
 * only what the update costs, however long the transcript; folding from an older one copies it first.
 *
 * @example
 * ```ts
 * let conversation = emptyConversation('s1');
 * for (const update of recorded) conversation = foldUpdate(conversation, update);
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
 * Folds updates one after the other, and looks at the result once: the quick way for a whole recording.
 *
 * @example
 * ```ts
 * const conversation = foldUpdates(emptyConversation('s1'), recorded);
 * ```
 */
export function foldUpdates(
  conversation: Conversation,
  updates: Iterable<ConversationUpdate>,
  options: FoldOptions = {},
): Conversation {
  const draft = new Draft(conversation);
  draft.origin = options.origin ?? 'live';
  for (const update of updates) reduce(draft, update);
  return draft.snapshot();
}
