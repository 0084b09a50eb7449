import type { AnyUpdate } from '../../model/client-update.ts';
import { isEmptyText } from '../../model/content.ts';
import type { MessageChunk } from '../../model/update.ts';

/**
 * How long an agent is silent after a turn before it speaks by itself, in milliseconds. Some agents answer a prompt before
 * they send the last words of the turn.
 */
const silentMs = 250;

/**
 * Separates what an agent says by itself, some time after the end of a turn, from the answer of that turn. Only ids could
 * say that it continues the answer.
 */
export class AfterTurn {
  /** When the last turn ended or the agent spoke after it, as `performance.now()` counts. `undefined` in a turn. */
  #spokeAt: number | undefined;

  /** A turn has begun, or the agent has begun to speak by itself. */
  begin(): void {
    this.#spokeAt = undefined;
  }

  /** The last turn has ended. */
  end(): void {
    this.#spokeAt = performance.now();
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
    return update.messageId == null ? { ...update, begins: true } : update;
  }
}

/** Whether an update is a chunk of what the agent says or thinks. An empty text is none. */
function isSpoken(update: AnyUpdate): update is MessageChunk {
  const { sessionUpdate } = update;
  const isChunk = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk';
  return isChunk && !isEmptyText(update.content);
}
