import { settlesWithin } from '../../base/wait.ts';
import { EventStream, type EventStreamParts, maxAttempts, reopenDelayMs } from './event-stream.ts';

/** How many streams are open at most. */
export const maxSessionStreams = 1000;

/** How long a stream must live so that its end is a new fault, in milliseconds. */
const longLifeMs = 10_000;

/** How long a message waits for the stream of its session, in milliseconds. */
const longestWaitMs = 500;

/** Everything of a stream but what depends on its history. */
type SessionStreamParts = Omit<EventStreamParts, 'lateStatuses' | 'firstDelayMs'>;

/** The streams of the sessions of a connection: one for each session, and one for each of its subagents. */
export class SessionStreams {
  readonly #partsOf: (sessionId: string) => SessionStreamParts;
  readonly #streams = new Map<string, EventStream>();
  /** How often the stream of a session broke one time soon after the other. */
  readonly #breaks = new Map<string, number>();
  /** The sessions whose streams were closed last. The server may not have noticed it. */
  readonly #closed = new Set<string>();
  /** The session that the user opened, by the session of each subagent that works for it. */
  readonly #roots = new Map<string, string>();
  #isOver = false;

  constructor(partsOf: (sessionId: string) => SessionStreamParts) {
    this.#partsOf = partsOf;
  }

  /** The stream of a session. It is opened if there is none. `undefined` if there are too many, or after the end. */
  open(sessionId: string): EventStream | undefined {
    const existing = this.#streams.get(sessionId);
    if (existing) return existing;
    if (this.#isOver || this.#streams.size >= maxSessionStreams) return undefined;
    const breaks = this.#breaks.get(sessionId);
    const parts = this.#partsOf(sessionId);
    const stream = new EventStream({
      ...parts,
      // A server that does not know the session yet says 403 or 404. One that has not noticed the end of a stream, 409.
      lateStatuses: breaks ? [409] : this.#closed.has(sessionId) ? [403, 404, 409] : [403, 404],
      firstDelayMs: breaks ? reopenDelayMs(Math.min(breaks, maxAttempts)) : 0,
      onLost: (error, openedAt) => {
        this.#streams.delete(sessionId);
        if (openedAt !== undefined) {
          const isNew = performance.now() - openedAt > longLifeMs;
          this.#breaks.set(sessionId, isNew ? 1 : this.breaksOf(sessionId) + 1);
        }
        parts.onLost(error, openedAt);
      },
    });
    this.#streams.set(sessionId, stream);
    return stream;
  }

  /**
   * Opens the stream of a session if there is none, and waits until the server has answered: servers need not keep what a
   * session says before. Does not wait for long: with TLS and HTTP/2, nginx holds the headers of an answer without a body
   * back until it sends something else, such as the answer to the message that waits.
   */
  async openSoon(sessionId: string): Promise<void> {
    const stream = this.open(sessionId);
    if (stream) await settlesWithin(stream.opened, longestWaitMs);
  }

  isOpen(sessionId: string): boolean {
    return this.#streams.get(sessionId)?.isOpen ?? false;
  }

  /** A subagent works for a session. Its messages come on a stream of its own. */
  addSubagent(parentId: string, sessionId: string): void {
    const root = this.rootOf(parentId);
    // An agent can announce sessions in a circle.
    if (root === sessionId) return;
    if (!this.#roots.has(sessionId)) this.#roots.set(sessionId, root);
    this.open(sessionId);
  }

  /** The session that the user opened, for one that works for it. */
  rootOf(sessionId: string): string {
    return this.#roots.get(sessionId) ?? sessionId;
  }

  /** The sessions with an open stream that work for a session. */
  subagentsOf(sessionId: string): readonly string[] {
    return this.#workingFor(sessionId).filter((subagent) => this.isOpen(subagent));
  }

  /** How often the stream of a session broke one time soon after the other. */
  breaksOf(sessionId: string): number {
    return this.#breaks.get(sessionId) ?? 0;
  }

  /** Ends the streams of a session and of its subagents. */
  close(sessionId: string): void {
    for (const one of [sessionId, ...this.#workingFor(sessionId)]) {
      this.#streams.get(one)?.close();
      if (this.#streams.delete(one)) this.#noteClosed(one);
      this.#roots.delete(one);
    }
  }

  /** Ends all streams. No other is opened. */
  closeAll(): void {
    this.#isOver = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  #workingFor(sessionId: string): readonly string[] {
    return [...this.#roots.keys()].filter((subagent) => this.rootOf(subagent) === sessionId);
  }

  #noteClosed(sessionId: string): void {
    this.#closed.delete(sessionId);
    this.#closed.add(sessionId);
    if (this.#closed.size > maxSessionStreams) this.#closed.delete(this.#closed.keys().next().value ?? '');
  }
}
