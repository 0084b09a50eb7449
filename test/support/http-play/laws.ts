import { isRequestId, type RequestId } from '../../../src/core/base/json.ts';
import { type Happening, numberOf, sessionIn, subagent } from './journal.ts';

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
