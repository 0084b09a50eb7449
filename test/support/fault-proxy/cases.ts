import type { TransportName } from '../transports/names.ts';
import { type ChannelFaultName, channelFaults, directions, type Passed } from './channel-faults.ts';
import { type EventFault, eventFaults, type RequestFault, requestFaults } from './http-faults.ts';
import type { Reopening } from './recorded-play.ts';
import type { SceneFaults } from './scenes.ts';

/** What the client does after a loss. */
export type ClientKind = 'does not reconnect' | 'reconnects';

/** How the two sides go on after a loss. */
export interface Recovery {
  readonly client: ClientKind;
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

/** One thing that goes wrong. */
export interface FaultCase {
  readonly name: string;
  readonly faults: SceneFaults;
}

// `Object.keys` loses the names' type.
const channelNames = Object.keys(channelFaults) as readonly ChannelFaultName[];
const eventNames = Object.keys(eventFaults) as readonly EventFault[];
const requestNames = Object.keys(requestFaults) as readonly RequestFault[];

/** Only what has an id can be told from what was sent twice. */
const twice = 'comes twice';

const upTo = (count: number | undefined) => Array.from({ length: count ?? 0 }, (_, index) => index);

/** Each fault at each message, where there are so many messages. */
export function channelCases({ counts, identified }: Passed): readonly FaultCase[] {
  return directions.flatMap((direction) =>
    upTo(counts[direction]).flatMap((at) =>
      channelNames
        .filter((name) => name !== twice || (direction === 'to the client' && identified.includes(at)))
        .map((name) => ({
          name: `message ${at} ${direction} ${name}`,
          faults: { channel: { direction, at, name } },
        })),
    ),
  );
}

/** Whether the events have ids, with which a stream can be opened again where it broke. */
export const idKinds = ['with ids', 'without ids'] as const;
export type IdKind = (typeof idKinds)[number];

/** Each fault at each event of a stream. */
export function eventCases({ counts, identified }: Passed, ids: IdKind): readonly FaultCase[] {
  return upTo(counts['event']).flatMap((at) =>
    eventNames
      .filter((name) => name !== twice || ids === 'with ids' || identified.includes(at))
      .map((name) => ({
        name: `event ${at} ${ids} ${name}`,
        faults: { http: { fault: { what: 'event', at, name }, hasEventIds: ids === 'with ids' } },
      })),
  );
}

/** Each fault at each POST. */
export function postCases({ counts }: Passed): readonly FaultCase[] {
  return upTo(counts['post']).flatMap((at) =>
    requestNames.map((name) => ({
      name: `post ${at} ${name}`,
      faults: { http: { fault: { what: 'post', at, name } } },
    })),
  );
}

/** Each fault at each GET. */
export function streamCases({ counts }: Passed, ids: IdKind): readonly FaultCase[] {
  return upTo(counts['stream']).flatMap((at) =>
    requestNames.map((name) => ({
      name: `stream ${at} ${ids} ${name}`,
      faults: { http: { fault: { what: 'stream', at, name }, hasEventIds: ids === 'with ids' } },
    })),
  );
}

/** One event that is cut after each of so many bytes: the stream breaks if it has ids, and ends if it has none. */
export function byteCases(at: number, bytes: number, ids: IdKind): readonly FaultCase[] {
  const how = { 'with ids': 'breaks', 'without ids': 'ends' } as const;
  const name = `is cut in the middle, and the stream ${how[ids]}` as const;
  return upTo(bytes).map((cut) => ({
    name: `event ${at} ${ids} ${name}, after ${cut} bytes`,
    faults: { http: { fault: { what: 'event', at, name, bytes: cut }, hasEventIds: ids === 'with ids' } },
  }));
}

/** How long the network is away, in seconds. Each case has one of these in turn. */
const outages = [9, 60, 600] as const;

/** The same cases with a network that is away after the fault. */
export function withOutage(cases: CasesOf): CasesOf {
  return (passed) =>
    cases(passed).map(({ name, faults }, index) => {
      const outageSeconds = outages[index % outages.length] ?? outages[0];
      return {
        name: `${name}, and the network is away for ${outageSeconds} s`,
        faults: { ...faults, outageSeconds },
      };
    });
}

/** Each message that is lost with its channel. */
export const lostMessages: CasesOf = ({ counts }) =>
  directions.flatMap((direction) =>
    upTo(counts[direction]).map((at) => ({
      name: `message ${at} ${direction} is lost`,
      faults: { channel: { direction, at, name: 'is lost, and the channel breaks' } },
    })),
  );

/** Each POST that is lost, also after the server has taken it, and each event that is lost. */
export const lostOverHttp: CasesOf = ({ counts }) => [
  ...(['is lost before the server', 'is taken, and its answer is lost'] as const).flatMap((name) =>
    upTo(counts['post']).map((at) => ({
      name: `post ${at} ${name}`,
      faults: { http: { fault: { what: 'post' as const, at, name } } },
    })),
  ),
  ...idKinds.flatMap((ids) =>
    upTo(counts['event']).map((at) => ({
      name: `event ${at} ${ids} is lost`,
      faults: {
        http: {
          fault: { what: 'event' as const, at, name: 'is lost, and all connections break' as const },
          hasEventIds: ids === 'with ids',
        },
      },
    })),
  ),
];

export type CasesOf = (passed: Passed) => readonly FaultCase[];

/** All cases of a transport. */
export const casesOf: Readonly<Record<TransportName, CasesOf>> = {
  memory: channelCases,
  stdio: channelCases,
  websocket: channelCases,
  'streamable-http': (passed) => [
    ...postCases(passed),
    ...idKinds.flatMap((ids) => [...eventCases(passed, ids), ...streamCases(passed, ids)]),
  ],
};

/** Some of the cases: one of so many. */
export function oneOf(count: number, cases: CasesOf): CasesOf {
  return (passed) => cases(passed).filter((_case, index) => index % count === 0);
}
