import type { AnyUpdate } from '../../model/client-update.ts';

/** Updates that repeat a prompt, or only say that the agent works. */
const aboutPrompts: ReadonlySet<unknown> = new Set<AnyUpdate['sessionUpdate']>([
  'user_message',
  'user_message_chunk',
  'state_update',
]);

/**
 * Notices turns that an agent ends as successful although it sent nothing about them: no update, not even of the usage,
 * and no request. Of consecutive empty turns, only the first is noticed.
 */
export class EmptyTurns {
  /** How much the agent had sent when each open turn began, by the key of the prompt. */
  readonly #begun = new Map<string, number>();
  #sent = 0;
  #wasEmpty = false;

  begin(key: string): void {
    this.#begun.set(key, this.#sent);
  }

  /** @param update - `undefined` if it could not be read. */
  updated(update: AnyUpdate | undefined): void {
    if (this.#begun.size > 0 && !aboutPrompts.has(update?.sessionUpdate)) this.#sent++;
  }

  requested(): void {
    this.#sent++;
  }

  /** Ends a turn. Returns whether it is to be reported. */
  end(key: string, stopReason: string | null): boolean {
    const isEmpty = stopReason === 'end_turn' && this.#begun.get(key) === this.#sent;
    const isFirst = isEmpty && !this.#wasEmpty;
    this.#begun.delete(key);
    this.#wasEmpty = isEmpty;
    return isFirst;
  }
}
