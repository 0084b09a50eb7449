import type { RequestId } from '../../base/json.ts';

/** The method that a barrier calls. No agent has it, so that the agent answers with an error, and nothing happens. */
export const barrierMethod = '_acp-client-sdk/sync';

/**
 * How long an answer is held: until a session's stream has brought nothing in so many looks, one after the other, and at
 * most for `longestMs`, however much arrives. Then the answer to a barrier counts as missing. One long wait would end in a
 * process that was busy, although what has arrived meanwhile is read after it.
 */
const ordered = { looks: 20, lookMs: 100, longestMs: 30_000 };

/** For a server that does not send a session's answers on the session's stream. */
const unordered = { looks: 5, lookMs: 20, longestMs: 1000 };

/** An answer that waits for the messages that the agent sent before it. */
interface HeldAnswer {
  readonly message: object;
  /** The sessions whose streams may still bring such messages. */
  readonly waitingFor: Set<string>;
  readonly since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** What barriers cause. */
export interface BarrierActions {
  /** Sends the request of a barrier to the agent, for a session. */
  ask(id: string, sessionId: string): void;
  /** Delivers an answer whose wait is over. */
  release(message: object): void;
  /** This server gives no order. Called once. */
  onUnordered(reason: string): void;
}

/**
 * Holds answers that arrived on another stream than the messages of their session, until those messages have arrived.
 *
 * Two streams have no order. An agent has: it writes the answer to `session/load` after the replay. So after the answer
 * has come, the client sends one more request for the session. Its answer comes on the session's stream, and everything
 * that the agent sent before comes first.
 */
export class Barriers {
  readonly #actions: BarrierActions;
  readonly #asked = new Map<
    RequestId | undefined,
    { readonly held: HeldAnswer; readonly sessionId: string }
  >();
  readonly #held = new Set<HeldAnswer>();
  #count = 0;
  #isOrdered = true;

  constructor(actions: BarrierActions) {
    this.#actions = actions;
  }

  /** Holds an answer until everything that was sent before it has arrived on the streams of these sessions. */
  hold(message: object, sessionIds: readonly string[]): void {
    const held: HeldAnswer = {
      message,
      waitingFor: new Set(sessionIds),
      since: performance.now(),
      timer: undefined,
    };
    this.#held.add(held);
    if (this.#isOrdered) {
      for (const sessionId of sessionIds) {
        const id = `acp-client-sdk-sync-${++this.#count}`;
        this.#asked.set(id, { held, sessionId });
        this.#actions.ask(id, sessionId);
      }
    }
    this.#restart(held);
  }

  /** Something arrived on the stream of a session. */
  arrived(sessionId: string): void {
    for (const held of this.#held) if (held.waitingFor.has(sessionId)) this.#restart(held);
  }

  /**
   * Takes an answer that arrived on the stream of a session, or on that of the connection. Returns `undefined` if it
   * does not answer a barrier, and otherwise the messages that are delivered in its place.
   */
  takeAnswer(id: RequestId | undefined, stream: string | undefined): readonly object[] | undefined {
    const asked = this.#asked.get(id);
    if (!asked) return undefined;
    this.#asked.delete(id);
    const { held, sessionId } = asked;
    if (stream !== sessionId) {
      this.#becomeUnordered('its answers to calls of a session come on another stream than its messages');
      return [];
    }
    held.waitingFor.delete(sessionId);
    if (held.waitingFor.size > 0 || !this.#held.has(held)) return [];
    this.#forget(held);
    return [held.message];
  }

  /** The request of a barrier was refused. */
  refused(id: string): void {
    if (this.#asked.delete(id)) this.#becomeUnordered('it refuses calls that it does not know');
  }

  /** The stream of a session is lost. Returns the answers that waited for it: what came before them is incomplete. */
  drop(sessionId: string): readonly object[] {
    const dropped = [...this.#held].filter(({ waitingFor }) => waitingFor.has(sessionId));
    for (const held of dropped) this.#forget(held);
    return dropped.map(({ message }) => message);
  }

  /** Gives up all answers. */
  clear(): void {
    for (const held of this.#held) this.#forget(held);
  }

  #restart(held: HeldAnswer): void {
    clearTimeout(held.timer);
    this.#look(held, 1);
  }

  #look(held: HeldAnswer, count: number): void {
    const { looks, lookMs, longestMs } = this.#isOrdered ? ordered : unordered;
    const leftMs = Math.max(0, held.since + longestMs - performance.now());
    const isLast = count === looks || leftMs <= lookMs;
    held.timer = setTimeout(
      () => (isLast ? this.#giveUp(held) : this.#look(held, count + 1)),
      Math.min(lookMs, leftMs),
    );
  }

  #giveUp(held: HeldAnswer): void {
    this.#forget(held);
    this.#becomeUnordered(`the agent did not answer within ${ordered.looks * ordered.lookMs} ms`);
    this.#actions.release(held.message);
  }

  #becomeUnordered(reason: string): void {
    if (!this.#isOrdered) return;
    this.#isOrdered = false;
    this.#actions.onUnordered(reason);
    for (const held of this.#held) this.#restart(held);
  }

  #forget(held: HeldAnswer): void {
    clearTimeout(held.timer);
    this.#held.delete(held);
  }
}
