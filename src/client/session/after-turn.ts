import type { AnyUpdate } from '../../model/client-update.ts';
import { isEmptyText } from '../../model/content.ts';
import type { MessageChunk } from '../../model/update.ts';

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
  /**
   * When the last turn ended or the agent spoke after it, as `performance.now()` counts. `undefined` in a turn, and while
   * the session is being opened again.
   */
  #spokeAt: number | undefined;

  /** A turn or a replay has begun, or the agent has begun to speak by itself. */
  begin(): void {
    this.#spokeAt = undefined;
  }

  /** The last turn has ended, or the session has opened. */
  end(spokeAt = performance.now()): void {
    this.#spokeAt = spokeAt;
  }

  /** Marks the first chunk that the agent says by itself. Returns any other update as it is. */
  separate(update: AnyUpdate): AnyUpdate {
    if (this.#spokeAt === undefined || !isSpoken(update)) return update;
    const now = performance.now();
    if (now - this.#spokeAt <= silentMs) {
      this.#spokeAt = now;
      return update;
    }
    this.begin();
    return { ...update, begins: true };
  }
}

/** Whether an update is a chunk of what the agent says or thinks. An empty text is none. */
function isSpoken(update: AnyUpdate): update is MessageChunk {
  const { sessionUpdate } = update;
  const isChunk = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk';
  return isChunk && !isEmptyText(update.content);
}
