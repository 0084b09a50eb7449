import type { TransportName } from '../transports/names.ts';
import {
  directions,
  eventFaults,
  type Fault,
  type FaultCase,
  messageFaults,
  type Passed,
  requestFaults,
} from './faults.ts';
import type { Reopening } from './play.ts';

/** How the two sides go on after a loss. */
export interface Recovery {
  /** What the client does. */
  readonly client: 'does not reconnect' | 'reconnects';
  readonly reopening: Reopening;
}

/** Version 2 has no way to offer only a load. */
export const recoveries: Readonly<Record<1 | 2, readonly Recovery[]>> = {
  1: [
    { client: 'does not reconnect', reopening: 'resume' },
    { client: 'reconnects', reopening: 'resume' },
    { client: 'reconnects', reopening: 'load' },
  ],
  2: [
    { client: 'does not reconnect', reopening: 'resume' },
    { client: 'reconnects', reopening: 'resume' },
  ],
};

/** The cases, for what passes without a fault. */
export type CasesOf = (passed: Passed) => readonly FaultCase[];

/** Whether the events have ids. */
export const idKinds = ['with ids', 'without ids'] as const;
export type IdKind = (typeof idKinds)[number];

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
// `Object.keys` loses the type of the names.
const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

function caseOf(fault: Fault, ids?: IdKind, more = ''): FaultCase {
  const kind = ids === undefined ? '' : `${ids} `;
  return {
    name: `${fault.place} ${fault.at} ${kind}${fault.name}${more}`,
    fault,
    ...(ids && { hasEventIds: ids === 'with ids' }),
  };
}

/** Each fault at each message of a channel with one order. */
export const channelCases: CasesOf = ({ counts, identified }) =>
  directions.flatMap((place) =>
    upTo(counts[place]).flatMap((at) =>
      namesOf(messageFaults)
        .filter((name) => name !== 'comes twice' || (place === 'to the client' && identified.includes(at)))
        .map((name) => caseOf({ place, at, name })),
    ),
  );

/** Each fault at each event of a stream. */
export const eventCases =
  (ids: IdKind): CasesOf =>
  ({ counts, identified }) =>
    upTo(counts.event).flatMap((at) =>
      namesOf(eventFaults)
        .filter((name) => name !== 'comes twice' || ids === 'with ids' || identified.includes(at))
        .map((name) => caseOf({ place: 'event', at, name }, ids)),
    );

/** Each fault at each POST. */
export const postCases: CasesOf = ({ counts }) =>
  upTo(counts.post).flatMap((at) =>
    namesOf(requestFaults).map((name) => caseOf({ place: 'post', at, name })),
  );

/** Each fault at each GET. */
export const streamCases =
  (ids: IdKind): CasesOf =>
  ({ counts }) =>
    upTo(counts.stream).flatMap((at) =>
      namesOf(requestFaults).map((name) => caseOf({ place: 'stream', at, name }, ids)),
    );

/** One event that is cut after each of so many bytes: the stream breaks if it has ids, and ends if it has none. */
export const byteCases =
  (at: number, bytes: number, ids: IdKind): CasesOf =>
  () => {
    const how = { 'with ids': 'what carries it breaks', 'without ids': 'the stream ends' } as const;
    const name = `is cut in the middle, and ${how[ids]}` as const;
    return upTo(bytes).map((cutAt) =>
      caseOf({ place: 'event', at, name, cutAt }, ids, `, after ${cutAt} bytes`),
    );
  };

/** How long the network is away, in seconds. Each case has one of these in turn. */
const outages = [9, 60, 600] as const;

/** The same cases with a network that is away after the fault. */
export const withOutage =
  (cases: CasesOf): CasesOf =>
  (passed) =>
    cases(passed).map((given, index) => {
      const outageSeconds = outages[index % outages.length] ?? outages[0];
      const name = `${given.name}, and the network is away for ${outageSeconds} s`;
      return { ...given, name, outageSeconds };
    });

/** Each message that is lost with its channel. */
export const lostMessages: CasesOf = ({ counts }) =>
  directions.flatMap((place) =>
    upTo(counts[place]).map((at) => caseOf({ place, at, name: 'is lost, and what carries it breaks' })),
  );

/** Each POST that is lost, also after the server has taken it, and each event that is lost. */
export const lostOverHttp: CasesOf = ({ counts }) => [
  ...(['is lost before the server', 'is taken, and its answer is lost'] as const).flatMap((name) =>
    upTo(counts.post).map((at) => caseOf({ place: 'post', at, name })),
  ),
  ...idKinds.flatMap((ids) =>
    upTo(counts.event).map((at) =>
      caseOf({ place: 'event', at, name: 'is lost, and all connections break' }, ids),
    ),
  ),
];

/** All cases of a transport. */
export const casesOf: Readonly<Record<TransportName, CasesOf>> = {
  memory: channelCases,
  stdio: channelCases,
  websocket: channelCases,
  'streamable-http': (passed) =>
    [postCases, ...idKinds.flatMap((ids) => [eventCases(ids), streamCases(ids)])].flatMap((cases) =>
      cases(passed),
    ),
};

/** Some of the cases: one of so many. */
export const oneOf =
  (count: number, cases: CasesOf): CasesOf =>
  (passed) =>
    cases(passed).filter((_case, index) => index % count === 0);
