import type { RequestId } from '../../base/json.ts';
import { idOf, methodOf, type OpenRequest } from './routes.ts';

/**
 * What the server keeps while the stream of a session is lost, and sends on the next one. A call that replays the history
 * brings the same updates again, so that those that come before are skipped. Requests of the agent are not in a history:
 * they wait until the replay is complete.
 */
export class Leftovers {
  readonly #sessionUpdate: string;
  readonly #lost = new Set<string>();
  /** The sessions whose leftovers are skipped, and what ends the wait for them. */
  readonly #waits = new Map<string, { readonly marker: object; readonly end: () => void }>();
  /** The agent's requests that wait, by session. */
  readonly #requests = new Map<string, object[]>();
  /** The sessions that are being replayed, by the call that asked for it. */
  readonly #replays = new Map<RequestId | undefined, string>();

  /** @param sessionUpdate - The method of an update. */
  constructor(sessionUpdate: string) {
    this.#sessionUpdate = sessionUpdate;
  }

  /** The stream of a session is lost. */
  add(sessionId: string): void {
    this.#lost.add(sessionId);
    this.end(sessionId);
  }

  /** Whether a session is lost, and no call has asked for it since. */
  has(sessionId: string): boolean {
    return this.#lost.has(sessionId);
  }

  /**
   * Skips what a replay brings again, until {@link end} is called. Without a replay, the leftovers are what the user has not
   * seen. Resolves when they have arrived.
   *
   * @param hold - Is given a marker, which comes back after the last message that was sent before.
   */
  async skip(
    sessionId: string,
    { id, isReplay }: OpenRequest,
    hold: (marker: object) => void,
  ): Promise<void> {
    if (!this.#lost.delete(sessionId) || !isReplay) return;
    this.#replays.set(id, sessionId);
    await new Promise<void>((end) => {
      const marker = {};
      this.#waits.set(sessionId, { marker, end });
      hold(marker);
    });
  }

  /** Takes a message that is not delivered now: an update or a request among leftovers, or their marker. */
  take(message: object, stream: string | undefined): boolean {
    const arrived = [...this.#waits.values()].find(({ marker }) => marker === message);
    arrived?.end();
    if (arrived) return true;
    if (stream === undefined || !this.#waits.has(stream)) return false;
    if (idOf(message) === undefined) return methodOf(message) === this.#sessionUpdate;
    this.#requests.set(stream, [...(this.#requests.get(stream) ?? []), message]);
    return true;
  }

  /** The requests that waited for a call which is over now. */
  after(call: RequestId | undefined): readonly object[] {
    const sessionId = this.#replays.get(call);
    if (sessionId === undefined) return [];
    this.#replays.delete(call);
    const requests = this.#requests.get(sessionId) ?? [];
    this.#requests.delete(sessionId);
    return requests;
  }

  /** Ends all waits. */
  clear(): void {
    for (const sessionId of [...this.#waits.keys()]) this.end(sessionId);
  }

  /** The call that asks for the replay is sent: what comes from now on can be part of it. */
  end(sessionId: string): void {
    this.#waits.get(sessionId)?.end();
    this.#waits.delete(sessionId);
  }
}
