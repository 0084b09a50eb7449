import type { AnyUpdate } from '../../model/client-update.ts';
import { isEmptyText } from '../../model/content.ts';
import type { MessageChunk } from '../../model/update.ts';
import type { SessionEvent } from './machine/events.ts';
import type { SessionState } from './machine/state.ts';
import type { ReplayStores } from './replay-stores.ts';

/**
 * How long an agent is silent after a turn before it speaks by itself, in milliseconds. Some agents answer a prompt before
 * they send the last words of the turn.
 */
const silentMs = 250;

/**
 * Separates what an agent says by itself from the message before it: some time after the end of a turn, or when the session
 * has opened. Only ids could say that it continues that message.
 *
 * @param now - The time, in milliseconds.
 */
export function afterTurn(now: () => number) {
  /**
   * When the last turn ended or the agent spoke after it. `undefined` in a turn, and while the session is being opened
   * again.
   */
  let spokeAt: number | undefined;
  return {
    /** Follows each event of a session, before the effects of its change are performed. */
    follow(before: SessionState, event: SessionEvent, after: SessionState, stores: ReplayStores): void {
      if (after.turns.length > 0 || event.type === 'reopen') spokeAt = undefined;
      else if (event.type === 'opened' && stores.endsWithWholeMessage(after.history.is))
        spokeAt = Number.NEGATIVE_INFINITY;
      else if (before.turns.length > 0 || event.type === 'reopen_failed') spokeAt = now();
    },

    /** Marks the first chunk that the agent says by itself. Returns any other update as it is. */
    separate(update: AnyUpdate): AnyUpdate {
      if (spokeAt === undefined || !isSpoken(update)) return update;
      const isSilent = now() - spokeAt > silentMs;
      spokeAt = isSilent ? undefined : now();
      return isSilent ? { ...update, begins: true } : update;
    },
  };
}

/** Whether an update is a chunk of what the agent says or thinks. An empty text is none. */
function isSpoken(update: AnyUpdate): update is MessageChunk {
  const { sessionUpdate } = update;
  const isChunk = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk';
  return isChunk && !isEmptyText(update.content);
}
