import fc from 'fast-check';
import { passTime } from '../timed-acp-server.ts';
import { type Habits, sessions, subagent } from './journal.ts';
import type { PlayingClient } from './playing-client.ts';
import type { PlayingServer } from './playing-server.ts';

/** The two sides of a play. */
export interface Sides {
  readonly client: PlayingClient;
  readonly server: PlayingServer;
}

/** What the client, the agent or the server does, or what goes wrong. */
export interface Step {
  readonly does: string;
  readonly given: unknown;
  take(sides: Sides): void | Promise<void>;
}

export interface Script {
  readonly habits: Habits;
  readonly steps: readonly Step[];
}

interface Weighted<T = Step> {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<T>;
}

function step<T>(
  weight: number,
  does: string,
  values: fc.Arbitrary<T>,
  take: (given: T, sides: Sides) => void | Promise<void>,
): Weighted {
  const arbitrary = values.map((given) => ({ does, given, take: (sides: Sides) => take(given, sides) }));
  return { weight, arbitrary };
}

const session = fc.constantFrom(...sessions);
const stream = fc.constantFrom('s1', 's1', 's2', subagent);
const how = fc.constantFrom('ends' as const, 'breaks' as const);
const none = fc.constant(undefined);

const working: readonly Weighted[] = [
  step(
    4,
    'call',
    fc.tuple(
      session,
      fc.constantFrom('session/prompt', 'session/prompt', 'session/set_mode', 'session/load'),
    ),
    (call, { client }) => client.call(...call),
  ),
  step(1, 'note', session, (name, { client }) => client.note(name)),
  step(2, 'withdraw', fc.nat(2), (which, { client }) => client.withdraw(which)),
  step(6, 'say', fc.tuple(stream, fc.integer({ min: 1, max: 4 })), (said, { server }) => server.say(...said)),
  step(2, 'ask', fc.tuple(stream, fc.boolean()), (asked, { server }) => server.ask(...asked)),
  step(1, 'announce', none, (_, { server }) => server.announceSubagent()),
  step(
    4,
    'answer',
    fc.tuple(
      fc.nat(5),
      fc.constantFrom('session' as const, 'session' as const, 'connection' as const),
      fc.nat(4).map((value) => value === 0),
    ),
    (answer, { server }) => server.answer(...answer),
  ),
];

const faults: readonly Weighted[] = [
  step(
    4,
    'end',
    fc.tuple(stream, how, fc.record({ unread: fc.nat(2), repeated: fc.nat(3) })),
    (end, { server }) => server.end(...end),
  ),
  step(1, 'end connection', how, (end, { server }) => server.end('', end)),
  step(
    1,
    'refuse',
    fc.tuple(stream, fc.constantFrom(400, 403, 404, 409, 500), fc.nat(7)),
    (refusal, { server }) => server.refuse(...refusal),
  ),
  step(1, 'forget', session, (name, { server }) => server.forget(name)),
  step(1, 'postpone', none, (_, { server }) => server.postpone()),
  step(2, 'slow down', fc.constantFrom(20, 400, 3000, 40_000), (ms, { server }) => server.slowDown(ms)),
  step(1, 'fall silent', stream, (name, { server }) => server.fallSilent(name)),
];

const pass = step(6, 'pass', fc.constantFrom(0, 0, 10, 150, 600, 2500, 11_000, 40_000), passTime);

const habits: fc.Arbitrary<Habits> = fc.record({
  eventIds: fc.constantFrom('all', 'all', 'some', 'none'),
  barrier: fc.constantFrom(
    'is answered',
    'is answered',
    'is answered elsewhere',
    'is refused',
    'has no answer',
  ),
  reopening: fc.constantFrom('session/load', 'session/load', 'session/resume', 'none'),
});

const many = { maxLength: 40, size: 'max' } as const;

/** Anything, in any order. */
export const anyScript: fc.Arbitrary<Script> = fc.record({
  habits,
  steps: fc.array(fc.oneof(...working, ...faults, pass), many),
});

/** Longer than a stream must live so that its end is a new fault, in milliseconds. */
const longLifeMs = 11_000;

/** A stream lives long until a proxy ends it, and so does the next one. */
const longLife = step(6, 'live long', fc.tuple(session, fc.nat(3)), async ([name, repeated], { server }) => {
  await passTime(longLifeMs);
  server.end(name, 'ends', { repeated });
  await passTime(longLifeMs);
});

/** Streams that live long, with work between. */
export const calmScript: fc.Arbitrary<Script> = fc.record({
  habits: habits.map((given) => ({ ...given, barrier: 'is answered' as const })),
  steps: fc.array(fc.oneof(longLife, ...working), many),
});
