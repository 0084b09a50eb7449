import type { Diagnostic } from '../../../core/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../../core/base/json.ts';
import { SentSecrets, secretsIn } from '../../../core/base/secrets.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import type { Session } from '../../../core/client/session/session.ts';
import { redact } from '../../../core/trace/redact.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import type { TrafficRecord } from '../../../core/trace/traffic.ts';
import { connectionItem } from './connection-item.ts';
import { ConversationChanges } from './conversations.ts';
import { diagnosticItem } from './diagnostic-item.ts';
import type { GrowingTimeline } from './growing.ts';
import type { TimelineItem } from './items.ts';
import type { Note } from './notes.ts';
import { paramsOf } from './offered.ts';

/** The rules of diagnostics that a message of the agent causes. */
const causedByMessage = /^(?:rpc|protocol|handler)\./;

/**
 * Writes a live connection into a timeline.
 *
 * A change belongs to the message that was read last. What changes before a message of the client, in the same turn of the
 * event loop, belongs to that message: the client shows a prompt, and then sends it.
 */
export class TimelineRecorder {
  readonly #timeline: GrowingTimeline;
  readonly #connection: () => ClientConnection | undefined;
  readonly #startedAt = performance.now();
  readonly #secrets = new SentSecrets();
  readonly #conversations = new ConversationChanges();
  /** The connection whose sessions are followed. */
  #followedConnection: ClientConnection | undefined;
  #stopFollowing: () => void = () => {};
  readonly #followed = new Map<string, { readonly session: Session; readonly stop: () => void }>();
  /** The sessions whose conversation can have changed. To ask all of them after each message would be quadratic. */
  readonly #changedSessions = new Set<Session>();
  /** The latest `initialize` request, and the index of its answer, until it is described. */
  #offer: { readonly id: unknown; readonly params: JsonObject; answer: number | undefined } | undefined;
  /** The index of the agent's latest message. */
  #lastReceived: number | undefined;
  /** Whether that message came in this turn of the event loop. */
  #isReading = false;
  #isScheduled = false;

  /**
   * @param connection - The connection now, also while it starts again.
   * @param secrets - What the channel sends beside the messages, such as a token.
   */
  constructor(
    timeline: GrowingTimeline,
    connection: () => ClientConnection | undefined,
    secrets: readonly string[] = [],
  ) {
    this.#timeline = timeline;
    this.#connection = connection;
    this.#secrets.add(secrets);
  }

  /** For `connect`. */
  readonly trace: Trace = {
    write: (record) => this.#record(record),
    redact: (message) => {
      const redacted = redact(message);
      this.#noteSecrets(message, redacted);
      return redacted;
    },
    // A shortened text would fold to another conversation.
    maxTextLength: Number.POSITIVE_INFINITY,
  };

  diagnostic(diagnostic: Diagnostic): void {
    this.#flush();
    const cause = causedByMessage.test(diagnostic.rule) ? this.#lastReceived : undefined;
    const item = diagnosticItem(diagnostic, this.#now(), cause);
    this.#timeline.add(this.#secrets.removeFromData(item));
  }

  /** Takes what the agent wrote to stderr. */
  stderr(text: string): void {
    this.#add({ type: 'stderr', t: this.#now(), text: this.#secrets.removeFromText(text) });
  }

  /** Takes what happened to the agent's process. */
  process(event: Note<'process'>): void {
    this.#add(this.#secrets.removeFromData({ type: 'process', t: this.#now(), ...event }));
  }

  /** The connection may be another one, or have begun: an agent can be silent after its answer to `initialize`. */
  connectionChanged(): void {
    this.#schedule();
  }

  #record({ dir, msg }: TrafficRecord): void {
    const item: TimelineItem = { type: 'message', dir, t: this.#now(), msg };
    if (dir === 'in') {
      this.#lastReceived = this.#add(item);
      this.#isReading = true;
    } else if (this.#isReading) this.#add(item);
    else {
      this.#timeline.add(item);
      this.#noteChanging(msg);
      this.#flush();
    }
    this.#noteChanging(msg);
    this.#noteInitialize(item, this.#timeline.itemCount - 1);
    this.#schedule();
  }

  /** What a message changes is in the conversation before the store says so. An answer does not name its session. */
  #noteChanging(msg: unknown): void {
    const { sessionId } = isJsonObject(msg) ? paramsOf(msg) : {};
    const named = typeof sessionId === 'string' ? this.#followed.get(sessionId) : undefined;
    if (named) this.#changedSessions.add(named.session);
    else for (const { session } of this.#followed.values()) this.#changedSessions.add(session);
  }

  /** Adds an item after what changed before it. */
  #add(item: TimelineItem): number {
    this.#flush();
    this.#schedule();
    return this.#timeline.add(item);
  }

  #noteInitialize({ msg, dir }: { readonly msg: unknown; readonly dir: 'in' | 'out' }, index: number): void {
    if (!isJsonObject(msg)) return;
    const { id, method } = msg;
    if (dir === 'out' && method === 'initialize') {
      this.#offer = { id, params: paramsOf(msg), answer: undefined };
    } else if (dir === 'in' && method === undefined && this.#offer?.id === id && this.#offer) {
      this.#offer.answer ??= index;
    }
  }

  /** Adds what changed to the latest item, and describes a connection that has begun. */
  #flush(): void {
    const connection = this.#connection();
    if (connection !== this.#followedConnection) this.#follow(connection);
    if (!connection) return;
    for (const session of connection.sessions) this.#followSession(session);
    const conversations = [...this.#changedSessions].map(({ conversation }) => conversation);
    this.#changedSessions.clear();
    const changes = this.#secrets.removeFromData(this.#conversations.take(conversations));
    this.#timeline.addChanges(this.#timeline.itemCount - 1, changes);
    this.#describe(connection);
  }

  #describe(connection: ClientConnection): void {
    const offer = this.#offer;
    if (offer?.answer === undefined || connection.state !== 'open') return;
    this.#offer = undefined;
    const { params, answer: cause } = offer;
    const item = { ...connectionItem(connection, params), t: this.#now(), cause };
    this.#timeline.add(this.#secrets.removeFromData(item));
  }

  /** The sessions of another connection are other conversations. */
  #follow(connection: ClientConnection | undefined): void {
    if (this.#followedConnection) this.#conversations.endConnection();
    this.#followedConnection = connection;
    this.#stopFollowing();
    this.#stopFollowing = connection?.onStateChange(() => this.#schedule()) ?? (() => {});
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
    this.#changedSessions.clear();
  }

  #followSession(session: Session): void {
    const before = this.#followed.get(session.sessionId);
    if (before?.session === session) return;
    before?.stop();
    const stop = session.store.subscribe(() => this.#changed(session));
    this.#followed.set(session.sessionId, { session, stop });
    this.#changedSessions.add(session);
  }

  #changed(session: Session): void {
    this.#changedSessions.add(session);
    this.#schedule();
  }

  /** Looks for changes when what runs now has ended. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#isReading = false;
      this.#flush();
    });
  }

  /** What the client sends and a recording must not have, the agent can repeat on stderr. */
  #noteSecrets(message: unknown, redacted: unknown): void {
    if (!isJsonObject(message) || message === redacted) return;
    this.#secrets.add(secretsIn(message['params']));
  }

  #now(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
