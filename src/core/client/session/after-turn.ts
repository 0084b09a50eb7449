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
 */
export class AfterTurn {
  readonly #now: () => number;
  /**
   * When the last turn ended or the agent spoke after it. `undefined` in a turn, and while the session is being opened
   * again.
   */
  #spokeAt: number | undefined;

  /** @param now - The time, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Follows each event of a session, before the effects of its change are performed. */
  follow(before: SessionState, event: SessionEvent, after: SessionState, stores: ReplayStores): void {
    if (after.turns.length > 0 || event.type === 'reopen') this.#spokeAt = undefined;
    else if (event.type === 'opened' && stores.endsWithWholeMessage(after.history.is))
      this.#spokeAt = Number.NEGATIVE_INFINITY;
    else if (before.turns.length > 0 || event.type === 'reopen_failed') this.#spokeAt = this.#now();
  }

  /** Marks the first chunk that the agent says by itself. Returns any other update as it is. */
  separate(update: AnyUpdate): AnyUpdate {
    if (this.#spokeAt === undefined || !isSpoken(update)) return update;
    const now = this.#now();
    if (now - this.#spokeAt <= silentMs) {
      this.#spokeAt = now;
      return update;
    }
    this.#spokeAt = undefined;
    return { ...update, begins: true };
  }
}

/** Whether an update is a chunk of what the agent says or thinks. An empty text is none. */
function isSpoken(update: AnyUpdate): update is MessageChunk {
  const { sessionUpdate } = update;
  const isChunk = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk';
  return isChunk && !isEmptyText(update.content);
}
