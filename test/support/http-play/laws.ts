import { isRequestId, type RequestId } from '../../../src/base/request-id.ts';
import { type Happening, numberOf, type Said, sessionIn, subagent } from './journal.ts';

/** The session that the client knows, for a stream. */
const rootOf = (stream: string): string => (stream === subagent ? 's1' : stream);

const reopens = new Set<unknown>(['session/load', 'session/resume']);

/** A journal as laws read it. */
class Reading {
  readonly journal: readonly Happening[];
  /** What the agent said, by its number, and when. */
  readonly said = new Map<number, Said & { readonly at: number }>();
  /** When the client was given each message, by its number. */
  readonly delivered = new Map<number, number[]>();
  readonly hasEnded: boolean;

  constructor(journal: readonly Happening[]) {
    this.journal = journal;
    this.hasEnded = journal.some(({ what }) => what === 'ended');
    for (const [at, happening] of journal.entries()) {
      if (happening.what === 'said') this.said.set(happening.said.n, { ...happening.said, at });
      if (happening.what !== 'delivered') continue;
      const n = numberOf(happening.message);
      if (n !== undefined) this.delivered.set(n, [...(this.delivered.get(n) ?? []), at]);
    }
  }

  /** When something happened, in order. */
  times(isMeant: (happening: Happening) => boolean): readonly number[] {
    return [...this.journal.keys()].filter((at) => {
      const happening = this.journal[at];
      return happening !== undefined && isMeant(happening);
    });
  }

  lossesOf(stream: string): readonly number[] {
    return this.times(({ what, ...rest }) => what === 'lost' && Reflect.get(rest, 'sessionId') === stream);
  }

  /** When the server took a call that opens a session again, and whether it succeeded. */
  reopeningsOf(
    stream: string,
  ): readonly { readonly at: number; readonly endedAt: number; isReplay: boolean }[] {
    return this.times(
      (one) =>
        one.what === 'taken' && reopens.has(one.message['method']) && sessionIn(one.message) === stream,
    ).flatMap((at) => {
      const taken = this.journal[at];
      if (taken?.what !== 'taken') return [];
      const { id, method } = taken.message;
      const endedAt = this.journal.findIndex(
        (one) => one.what === 'delivered' && one.message['id'] === id && 'result' in one.message,
      );
      const hasFailed = this.journal.some((one) => one.what === 'failed' && one.id === id);
      return hasFailed || endedAt === -1 ? [] : [{ at, endedAt, isReplay: method === 'session/load' }];
    });
  }
}

type Law = (reading: Reading) => readonly string[];

/** Each call has one end: its answer, its failure, or that of the channel. */
const callsSettleOnce: Law = (reading) => {
  const calls = reading.journal.flatMap((one) =>
    one.what === 'sent' && one.message['method'] !== undefined && isRequestId(one.message['id'])
      ? [one.message['id']]
      : [],
  );
  return calls.flatMap((id: RequestId) => {
    const failures = reading.times((one) => one.what === 'failed' && one.id === id);
    const answers = reading.times(
      (one) => one.what === 'delivered' && one.message['id'] === id && one.message['method'] === undefined,
    );
    // An answer can come when its call has failed. The connection ignores it.
    const ends = [...failures, ...answers.filter((at) => !isLate(reading, at, failures[0]))];
    if (ends.length === 1 || (reading.hasEnded && ends.length === 0)) return [];
    return [`call ${id} ended ${ends.length} times`];
  });
};

/** Whether an answer was sent when its call had failed. */
function isLate(reading: Reading, answeredAt: number, failedAt = Number.POSITIVE_INFINITY): boolean {
  const answer = reading.journal[answeredAt];
  const n = answer?.what === 'delivered' ? numberOf(answer.message) : undefined;
  return reading.times((one) => one.what === 'written' && one.n === n).some((at) => at > failedAt);
}

const nothingComesTwice: Law = ({ delivered }) =>
  [...delivered]
    .filter(([, times]) => times.length > 1)
    .map(([n, { length }]) => `${n} came ${length} times`);

/** The updates of a stream have an order, and an answer comes after what was said before it on its stream. */
const streamsHaveAnOrder: Law = ({ said, delivered }) => {
  const wrong: string[] = [];
  const arrived = [...delivered].map(([n, [at = 0]]) => ({ n, at })).sort((a, b) => a.at - b.at);
  const last = new Map<string, number>();
  for (const { n } of arrived) {
    const { stream = '', kind } = said.get(n) ?? {};
    if (kind === 'update') {
      if ((last.get(stream) ?? 0) > n) wrong.push(`${n} came after ${last.get(stream)} on '${stream}'`);
      last.set(stream, n);
    }
  }
  for (const [n, { stream, kind }] of said) {
    const at = delivered.get(n)?.[0];
    if (kind !== 'answer' || at === undefined) continue;
    const late = arrived.filter(
      (one) =>
        one.n < n && one.at > at && said.get(one.n)?.stream === stream && said.get(one.n)?.kind === 'update',
    );
    for (const one of late) wrong.push(`${one.n} came after the answer ${n} on '${stream}'`);
  }
  return wrong;
};

/** What the agent said was given to the client, or the client knows that it was not. */
const nothingIsMissing: Law = (reading) => {
  if (reading.hasEnded) return [];
  // What becomes of answers, another law says.
  const missing = [...reading.said.values()].filter(
    ({ n, kind }) => kind !== 'answer' && !reading.delivered.has(n),
  );
  return missing.flatMap(({ n, stream, at, kind }) => {
    const root = rootOf(stream);
    const losses = reading.lossesOf(root);
    if (losses.some((lostAt) => lostAt > at)) return [];
    const lostAt = losses.findLast((one) => one < at);
    const reopened =
      lostAt === undefined ? undefined : reading.reopeningsOf(root).find((one) => one.at > lostAt);
    // The client does not read a session that was not opened again.
    if (lostAt !== undefined && reopened === undefined) return [];
    // The replay repeats the updates of the time without a stream.
    if (reopened?.isReplay && reopened.at > at && kind === 'update') return [];
    // The client learns of a subagent from its announcement.
    if (stream === subagent && !isAnnounced(reading, lostAt ?? -1)) return [];
    return [`${kind} ${n} on '${stream}' was not delivered`];
  });
};

function isAnnounced({ journal }: Reading, after: number): boolean {
  return journal.some(
    (one, at) =>
      at > after && one.what === 'delivered' && JSON.stringify(one.message).includes('subagent_update'),
  );
}

/** A session is lost because of something, and it is one that the client has opened. */
const lossesHaveReasons: Law = (reading) => {
  const last = new Map<string, number>();
  return reading.journal.flatMap((one, at) => {
    if (one.what !== 'lost') return [];
    const { sessionId } = one;
    if (sessionId !== rootOf(sessionId)) return [`'${sessionId}' was lost, which the client did not open`];
    const since = last.get(sessionId) ?? -1;
    last.set(sessionId, at);
    const faults = reading.times((each) => each.what === 'fault' && rootOf(each.stream) === sessionId);
    return faults.some((each) => each > since && each < at)
      ? []
      : [`'${sessionId}' was lost without a fault`];
  });
};

/** Each message of the client is taken once at most, and those of a session in the order in which they were sent. */
const messagesAreTakenOnceInOrder: Law = ({ journal }) => {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  for (const one of journal) {
    if (one.what !== 'taken' || one.message['method'] === undefined) continue;
    const c = Number(Reflect.get(Object(one.message['params']), 'c'));
    const row = sessionIn(one.message);
    if (row === undefined) continue;
    if ((last.get(row) ?? 0) >= c) wrong.push(`message ${c} was taken after ${last.get(row)}`);
    last.set(row, c);
  }
  return wrong;
};

/** Each request of the agent that was delivered is answered once, for the session on whose stream it came. */
const answersNameTheirSession: Law = (reading) =>
  [...reading.said.values()].flatMap(({ n, id, kind, stream }) => {
    if (kind !== 'request' || !reading.delivered.has(n)) return [];
    const answers = reading.journal.filter((one) => one.what === 'taken' && one.message['id'] === id);
    const named = answers.map((one) => (one.what === 'taken' ? one.sessionId : undefined));
    const [at = 0] = reading.delivered.get(n) ?? [];
    // The server refuses an answer for a session that it has lost.
    const isRefused = reading.hasEnded || reading.lossesOf(rootOf(stream)).some((lostAt) => lostAt > at);
    const isOnce = named.length === 1 || (named.length === 0 && isRefused);
    if (isOnce && named.every((name) => name === stream)) return [];
    return [`the request ${id} of '${stream}' was answered for ${JSON.stringify(named)}`];
  });

const nothingWrongWasSeen: Law = ({ journal }) =>
  journal.flatMap((one) => (one.what === 'wrong' ? [one.text] : []));

const laws: readonly Law[] = [
  callsSettleOnce,
  nothingComesTwice,
  streamsHaveAnOrder,
  nothingIsMissing,
  lossesHaveReasons,
  messagesAreTakenOnceInOrder,
  answersNameTheirSession,
  nothingWrongWasSeen,
];

/** What the journal says against the laws. */
export function brokenLaws(journal: readonly Happening[]): readonly string[] {
  const reading = new Reading(journal);
  return laws.flatMap((law) => law(reading));
}
