import type { Diagnostic } from '../../../core/base/diagnostic.ts';
import { isJsonObject } from '../../../core/base/json.ts';
import { SentSecrets, secretsIn } from '../../../core/base/secrets.ts';
import { describeEnd } from '../../../core/client/reconnect.ts';
import { redact } from '../../../core/trace/redact.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import type { TrafficRecord } from '../../../core/trace/traffic.ts';
import type { TransportEnd } from '../../../core/transport/transport.ts';
import { messagesOf } from '../../../records/recording/recorded-message.ts';
import { TimelineFold } from './fold.ts';
import type { GrowingTimeline } from './growing.ts';
import type { TimelineItem } from './items.ts';
import { diagnosticItem, type Note } from './notes.ts';

/** The rules of diagnostics that a message of the agent causes. */
const causedByMessage = /^(?:rpc|protocol|handler)\./;

/** How long nothing comes before a replay is shown whose end no message says, in milliseconds. */
const quietMs = 500;

/** Writes a live connection into a timeline, with what a fold of its messages changes. */
export class TimelineRecorder {
  readonly #timeline: GrowingTimeline;
  readonly #fold: TimelineFold;
  readonly #startedAt = performance.now();
  readonly #secrets = new SentSecrets();
  /** The index of the agent's latest message. */
  #lastReceived: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param secrets - What the channel sends beside the messages, such as a token. */
  constructor(timeline: GrowingTimeline, secrets: readonly string[] = []) {
    this.#timeline = timeline;
    this.#fold = new TimelineFold(timeline, new Set(['diagnostic', 'process', 'stderr']));
    this.#secrets.add(secrets);
  }

  /** For `connect`. */
  readonly trace: Trace = {
    write: ({ dir, msg }) => this.#record({ dir, t: this.#now(), msg: this.#secrets.removeFromMessage(msg) }),
    redact: (message) => {
      const redacted = redact(message);
      // What the client sends and a recording must not have, the agent can repeat on stderr.
      if (isJsonObject(message) && message !== redacted) this.#secrets.add(secretsIn(message['params']));
      return redacted;
    },
    // A shortened text would fold to another conversation.
    maxTextLength: Number.POSITIVE_INFINITY,
  };

  diagnostic(diagnostic: Diagnostic): void {
    const cause = causedByMessage.test(diagnostic.rule) ? this.#lastReceived : undefined;
    this.#add(diagnosticItem(diagnostic, this.#now(), cause));
  }

  /** Takes what the agent wrote to stderr. */
  stderr(text: string): void {
    this.#add({ type: 'stderr', t: this.#now(), text });
  }

  /** Takes what happened to the agent's process. */
  process(event: Note<'process'>): number {
    return this.#add({ type: 'process', t: this.#now(), ...event });
  }

  /** The agent has ended. */
  ended(end: TransportEnd): void {
    const exit = end.exit && { exitCode: end.exit.exitCode, signal: end.exit.signal };
    const index = this.process({ state: 'exited', ...exit, reason: describeEnd(end) });
    this.#fold.end({ ...exit, ...(end.error && { error: end.error }) }, index, this.#now());
  }

  #add(item: TimelineItem): number {
    return this.#timeline.add(this.#secrets.removeFromData(item));
  }

  #record(record: TrafficRecord): void {
    const index = this.#timeline.add({ type: 'message', ...record });
    if (record.dir === 'in') this.#lastReceived = index;
    for (const message of messagesOf(record)) this.#fold.take(message, index);
    this.#timer ??= setTimeout(() => this.#wait(), quietMs).unref();
  }

  /** Shows a replay whose end no message says. */
  #wait(): void {
    this.#timer = undefined;
    const isWaiting = this.#fold.wait(this.#timeline.itemCount - 1, this.#now());
    if (isWaiting) this.#timer = setTimeout(() => this.#wait(), quietMs).unref();
  }

  #now(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
