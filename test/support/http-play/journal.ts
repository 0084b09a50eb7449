import { isRequestId, type JsonObject, type RequestId } from '../../../src/core/base/json.ts';

/** A message that the agent said. */
export interface Said {
  /** Counts everything that the agent says. The message has it too. */
  readonly n: number;
  /** The stream: a session, or `''` for that of the connection. */
  readonly stream: string;
  readonly kind: 'update' | 'request' | 'answer';
  /** The id of a request, or of the call that an answer answers. */
  readonly id: RequestId | undefined;
}

/** Something that happened. Its place in the journal is its time. */
export type Happening =
  /** The client sent a message. */
  | { readonly what: 'sent'; readonly message: JsonObject }
  /** The server took a message of the client. */
  | { readonly what: 'taken'; readonly message: JsonObject; readonly sessionId: string | undefined }
  | { readonly what: 'said'; readonly said: Said }
  /** The server wrote what the agent said to an open stream. */
  | { readonly what: 'written'; readonly n: number }
  /** The client was given a message. */
  | { readonly what: 'delivered'; readonly message: JsonObject }
  /** The transport reported to the client that a call gets no answer. */
  | { readonly what: 'failed'; readonly id: RequestId }
  | { readonly what: 'lost'; readonly sessionId: string }
  /** Something went wrong with a stream, or with a message of a session. */
  | { readonly what: 'fault'; readonly stream: string }
  | { readonly what: 'ended' }
  /** What must never happen. */
  | { readonly what: 'wrong'; readonly text: string };

/** The number that the agent gave a message. */
export function numberOf(message: JsonObject): number | undefined {
  for (const part of [message['params'], message['result'], message['error']]) {
    const n: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'n') : undefined;
    if (typeof n === 'number') return n;
  }
  return undefined;
}

/** The session that a message of the client names. */
export function sessionIn({ params }: JsonObject): string | undefined {
  const sessionId: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'sessionId') : undefined;
  return typeof sessionId === 'string' ? sessionId : undefined;
}

/** How the server and the agent work, for a whole play. */
export interface Habits {
  /** Which events have ids. Without one the server cannot send an event again. */
  readonly eventIds: 'all' | 'some' | 'none';
  /** What becomes of the call that asks for the order of messages. */
  readonly barrier: 'is answered' | 'is answered elsewhere' | 'is refused' | 'has no answer';
  /** What the client does with a session that is lost. */
  readonly reopening: 'session/load' | 'session/resume' | 'none';
}

/** The sessions of a play, and the one of a subagent that works for the first. */
export const sessions = ['s1', 's2'] as const;
export const subagent = 'sub';

type Timed<W> = Extract<Happening, { what: W }> & { readonly at: number };

/** What happened of one kind, with the time of each. */
function all<W extends Happening['what']>(journal: readonly Happening[], what: W): readonly Timed<W>[] {
  // The comparison leaves this kind.
  return journal.flatMap((one, at) => (one.what === what ? [{ ...one, at } as Timed<W>] : []));
}

/** A journal as laws read it. */
function reading(journal: readonly Happening[]) {
  const delivered = all(journal, 'delivered').map((one) => ({ ...one, n: numberOf(one.message) }));
  const firstAt = new Map(delivered.toReversed().map(({ n, at }) => [n, at]));
  const failed = all(journal, 'failed');
  const lost = all(journal, 'lost');
  const taken = all(journal, 'taken');
  return {
    sent: all(journal, 'sent'),
    taken,
    said: all(journal, 'said').map(({ said, at }) => ({ ...said, at })),
    written: all(journal, 'written'),
    delivered,
    failed,
    lost,
    faults: all(journal, 'fault'),
    hasEnded: all(journal, 'ended').length > 0,
    /** When the client was given what the agent said, the first time. */
    deliveredAt: (n: number) => firstAt.get(n),
    lossesOf: (root: string) => lost.filter(({ sessionId }) => sessionId === root).map(({ at }) => at),
    /** The first call after a time that opened a session again. */
    reopeningOf: (root: string, after: number) =>
      taken.find(
        ({ at, message }) =>
          at > after &&
          reopens.has(message['method']) &&
          sessionIn(message) === root &&
          failed.every(({ id }) => id !== message['id']) &&
          delivered.some((one) => one.message['id'] === message['id'] && 'result' in one.message),
      ),
  };
}

type Reading = ReturnType<typeof reading>;
type Law = (reading: Reading) => readonly string[];

const reopens = new Set<unknown>(['session/load', 'session/resume']);

/** The session that the client knows, for a stream. */
const rootOf = (stream: string): string => (stream === subagent ? 's1' : stream);

/** Each call has one end: its answer, its failure, or that of the channel. */
const callsSettleOnce: Law = ({ sent, failed, delivered, written, hasEnded }) => {
  const calls = sent.flatMap(({ message: { id, method } }): RequestId[] =>
    method !== undefined && isRequestId(id) ? [id] : [],
  );
  return calls.flatMap((id) => {
    const failures = failed.filter((one) => one.id === id);
    const [{ at: failedAt } = { at: Number.POSITIVE_INFINITY }] = failures;
    // An answer can be sent when its call has failed. The connection ignores it.
    const isLate = (n: number | undefined) => written.some((one) => one.n === n && one.at > failedAt);
    const answers = delivered.filter(
      ({ message, n }) => message['id'] === id && message['method'] === undefined && !isLate(n),
    );
    const ends = failures.length + answers.length;
    return ends === 1 || (hasEnded && ends === 0) ? [] : [`call ${id} ended ${ends} times`];
  });
};

const nothingComesTwice: Law = ({ delivered }) => {
  const numbers = delivered.flatMap(({ n }) => (n === undefined ? [] : [n]));
  return numbers.filter((n, index) => numbers.indexOf(n) < index).map((n) => `${n} came twice`);
};

/** The updates of a stream have an order, and an answer comes after what was said before it on its stream. */
const streamsHaveAnOrder: Law = ({ said, deliveredAt }) =>
  said.flatMap(({ n, stream, kind }) => {
    const at = deliveredAt(n) ?? -1;
    if (kind === 'request') return [];
    const late = said.filter(
      (one) => one.stream === stream && one.kind === 'update' && one.n < n && (deliveredAt(one.n) ?? -1) > at,
    );
    return at === -1 ? [] : late.map((one) => `${one.n} came after the ${kind} ${n} on '${stream}'`);
  });

/** What the agent said was given to the client, or the client knows that it was not. */
const nothingIsMissing: Law = ({ said, delivered, hasEnded, deliveredAt, lossesOf, reopeningOf }) => {
  if (hasEnded) return [];
  const isAnnounced = (after: number) =>
    delivered.some(({ at, message }) => at > after && JSON.stringify(message).includes('subagent_update'));
  // What becomes of answers, another law says.
  const missing = said.filter(({ n, kind }) => kind !== 'answer' && deliveredAt(n) === undefined);
  return missing.flatMap(({ n, stream, at, kind }) => {
    const root = rootOf(stream);
    const losses = lossesOf(root);
    if (losses.some((lostAt) => lostAt > at)) return [];
    const lostAt = losses.findLast((one) => one < at);
    const reopened = lostAt === undefined ? undefined : reopeningOf(root, lostAt);
    // The client does not read a session that was not opened again.
    if (lostAt !== undefined && !reopened) return [];
    // The replay repeats the updates of the time without a stream.
    const isReplay = reopened?.message['method'] === 'session/load';
    if (reopened && isReplay && reopened.at > at && kind === 'update') return [];
    // The client learns of a subagent from its announcement.
    if (stream === subagent && !isAnnounced(lostAt ?? -1)) return [];
    return [`${kind} ${n} on '${stream}' was not delivered`];
  });
};

/** A session is lost because of something, and it is one that the client has opened. */
const lossesHaveReasons: Law = ({ lost, faults }) =>
  lost.flatMap(({ sessionId, at }) => {
    if (sessionId !== rootOf(sessionId)) return [`'${sessionId}' was lost, which the client did not open`];
    const since = lost.findLast((one) => one.sessionId === sessionId && one.at < at)?.at ?? -1;
    const hasReason = faults.some((one) => rootOf(one.stream) === sessionId && one.at > since && one.at < at);
    return hasReason ? [] : [`'${sessionId}' was lost without a fault`];
  });

/** Each message of the client is taken once at most, and those of a session in the order in which they were sent. */
const messagesAreTakenOnceInOrder: Law = ({ taken }) => {
  const last = new Map<string, number>();
  return taken.flatMap(({ message }) => {
    const row = sessionIn(message);
    if (message['method'] === undefined || row === undefined) return [];
    const c = Number(Reflect.get(Object(message['params']), 'c'));
    const before = last.get(row) ?? 0;
    last.set(row, c);
    return before >= c ? [`message ${c} was taken after ${before}`] : [];
  });
};

/** Each request of the agent that was delivered is answered once, for the session on whose stream it came. */
const answersNameTheirSession: Law = ({ said, taken, hasEnded, deliveredAt, lossesOf }) =>
  said.flatMap(({ n, id, kind, stream }) => {
    const at = deliveredAt(n);
    if (kind !== 'request' || at === undefined) return [];
    const named = taken.filter(({ message }) => message['id'] === id).map(({ sessionId }) => sessionId);
    // The server refuses an answer for a session that it has lost.
    const isRefused = hasEnded || lossesOf(rootOf(stream)).some((lostAt) => lostAt > at);
    const isOnce = named.length === 1 || (named.length === 0 && isRefused);
    if (isOnce && named.every((name) => name === stream)) return [];
    return [`the request ${id} of '${stream}' was answered for ${JSON.stringify(named)}`];
  });

const laws: readonly Law[] = [
  callsSettleOnce,
  nothingComesTwice,
  streamsHaveAnOrder,
  nothingIsMissing,
  lossesHaveReasons,
  messagesAreTakenOnceInOrder,
  answersNameTheirSession,
];

/** What the journal says against the laws. */
export function brokenLaws(journal: readonly Happening[]): readonly string[] {
  const read = reading(journal);
  return [...laws.flatMap((law) => law(read)), ...all(journal, 'wrong').map(({ text }) => text)];
}
