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

function caseOf(fault: Fault, ids?: IdKind): FaultCase {
  const kind = ids === undefined ? '' : `${ids} `;
  return {
    name: `${fault.place} ${fault.at} ${kind}${fault.name}`,
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
