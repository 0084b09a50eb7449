import { InvalidParamsError } from '../../base/errors.ts';
import { foldAnyUpdates } from '../../conversation/fold.ts';
import type { Conversation, ConversationEntry } from '../../model/conversation.ts';
import type { RegisteredSession } from './registered-session.ts';

/**
 * A saved conversation as one in which nothing is under way. What was checked is frozen. What was only parsed would fail
 * later if it is damaged: in the fold, which checks nothing.
 */
export function savedConversation(
  call: string,
  sessionId: string,
  saved: Conversation,
  open: RegisteredSession | undefined,
): Conversation {
  const refuse = (why: string) =>
    new InvalidParamsError(`${call}: options.conversation ${why}. Nothing was sent.`);
  if (open) throw refuse(`is not needed: the session ${JSON.stringify(sessionId)} is open`);
  // In JavaScript any value can be passed.
  const { entries: given }: Partial<Conversation> = Object(saved);
  if (!Array.isArray(given) || !Object.isFrozen(given)) {
    throw refuse('was not checked. Pass what importConversation returns for a saved session.conversation');
  }
  if (saved.sessionId !== sessionId) {
    throw refuse(
      `is of the session ${JSON.stringify(saved.sessionId)}, and not of ${JSON.stringify(sessionId)}`,
    );
  }
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
