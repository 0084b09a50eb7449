import * as v from 'valibot';
import { InvalidParamsError } from '../../base/errors.ts';
import { issuesIn, listed } from '../../base/issue.ts';
import { foldAnyUpdates } from '../../conversation/fold.ts';
import type { Conversation, ConversationEntry } from '../../model/conversation.ts';
import type { RegisteredSession } from './runner.ts';

const SavedConversation = v.looseObject({
  sessionId: v.string(),
  entries: v.array(v.looseObject({ kind: v.string(), key: v.string() })),
  plans: v.array(v.looseObject({ planId: v.string() })),
  terminals: v.record(v.string(), v.looseObject({ terminalId: v.string() })),
  activity: v.looseObject({ state: v.string(), stopReason: v.optional(v.nullable(v.string())) }),
  commands: v.array(v.looseObject({ name: v.string() })),
  configOptions: v.array(v.looseObject({ configId: v.string() })),
});

/** Checks a saved conversation, and returns it as one in which nothing is under way. */
export function savedConversation(
  call: string,
  sessionId: string,
  conversation: unknown,
  open: RegisteredSession | undefined,
): Conversation {
  const refuse = (why: string) =>
    new InvalidParamsError(`${call}: options.conversation ${why}. Nothing was sent.`);
  if (open) throw refuse(`is not needed: the session ${JSON.stringify(sessionId)} is open`);
  const checked = v.safeParse(SavedConversation, conversation);
  if (!checked.success) {
    // A value of another kind has many faults, and the first one says it.
    const why = listed(issuesIn(checked.issues.slice(0, 1), 'conversation'));
    throw refuse(
      `is not a conversation of this library: ${why}. Pass what JSON.parse returns for a saved session.conversation`,
    );
  }
  // The keys that every conversation has were just checked; the rest is kept as it is.
  const saved = conversation as Conversation;
  if (saved.sessionId !== sessionId) {
    throw refuse(
      `is of the session ${JSON.stringify(saved.sessionId)}, and not of ${JSON.stringify(sessionId)}`,
    );
  }
  return atRest(saved);
}

/**
 * The conversation of a fork whose agent replays nothing: it begins with the history of its source. `undefined`: the agent has
 * replayed something, or there is nothing.
 */
export function forkedConversation(own: Conversation, source: Conversation | undefined, cursorId: unknown) {
  // Which part of the history there is up to a cursor, only the agent knows.
  if (own.entries.length > 0 || !source || source.entries.length === 0 || cursorId != null) return undefined;
  const { entries, plans, terminals } = source;
  return atRest({ ...own, entries, plans, terminals });
}

/** A conversation as one in which nothing is under way. */
function atRest(saved: Conversation): Conversation {
  const entries = saved.entries.map(
    (entry): ConversationEntry =>
      'origin' in entry && entry.origin === 'local' ? { ...entry, origin: 'live' } : entry,
  );
  const { pendingMessages: __, ...rest } = saved;
  const { background: _, ...activity } = saved.activity;
  const idle = activity.state === 'idle' ? activity : { state: 'idle', stopReason: null };
  // What the agent suggested is out of date.
  return foldAnyUpdates({ ...rest, entries, suggestions: [] }, [
    { sessionUpdate: 'state_update', ...idle },
    { sessionUpdate: 'unfinished_cancelled' },
  ]);
}
