import fc from 'fast-check';

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
export type SessionName = (typeof sessions)[number];

interface End {
  readonly do: 'end';
  readonly stream: string;
  readonly how: 'ends' | 'breaks';
  /** How many events are on their way then. */
  readonly unread: number;
  /** How many events the next stream brings again. */
  readonly repeated: number;
}

/** What the client, the agent or the server does, or what goes wrong. */
export type Step =
  | { readonly do: 'call'; readonly session: SessionName; readonly method: string }
  | { readonly do: 'note' | 'forget'; readonly session: SessionName }
  | { readonly do: 'withdraw'; readonly which: number }
  | { readonly do: 'say'; readonly stream: string; readonly count: number }
  | { readonly do: 'ask'; readonly stream: string; readonly isNamed: boolean }
  | { readonly do: 'announce' | 'postpone' }
  | {
      readonly do: 'answer';
      readonly which: number;
      readonly where: 'session' | 'connection';
      readonly isError: boolean;
    }
  | End
  | { readonly do: 'end connection'; readonly how: 'ends' | 'breaks' }
  | { readonly do: 'refuse'; readonly stream: string; readonly status: number; readonly times: number }
  | { readonly do: 'slow down' | 'pass'; readonly ms: number }
  | { readonly do: 'fall silent'; readonly stream: string };

export interface Script {
  readonly habits: Habits;
  readonly steps: readonly Step[];
}

interface Weighted {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Step>;
}

const session = fc.constantFrom(...sessions);
const stream = fc.constantFrom('s1', 's1', 's2', subagent);
const how = fc.constantFrom('ends' as const, 'breaks' as const);

const is = <K extends Step['do']>(kind: K) => fc.constant(kind);

const working: readonly Weighted[] = [
  {
    weight: 4,
    arbitrary: fc.record({
      do: is('call'),
      session,
      method: fc.constantFrom('session/prompt', 'session/prompt', 'session/set_mode', 'session/load'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('note'), session }) },
  { weight: 2, arbitrary: fc.record({ do: is('withdraw'), which: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ do: is('say'), stream, count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: is('ask'), stream, isNamed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: is('announce') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: is('answer'),
      which: fc.nat(5),
      where: fc.constantFrom('session' as const, 'session' as const, 'connection' as const),
      isError: fc.nat(4).map((value) => value === 0),
    }),
  },
];

const faults: readonly Weighted[] = [
  {
    weight: 4,
    arbitrary: fc.record({ do: is('end'), stream, how, unread: fc.nat(2), repeated: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('end connection'), how }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is('refuse'),
      stream,
      status: fc.constantFrom(400, 403, 404, 409, 500),
      times: fc.nat(7),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('forget'), session }) },
  { weight: 1, arbitrary: fc.record({ do: is('postpone') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: is('slow down'), ms: fc.constantFrom(20, 400, 3000, 40_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('fall silent'), stream }) },
];

const time: Weighted = {
  weight: 6,
  arbitrary: fc.record({ do: is('pass'), ms: fc.constantFrom(0, 0, 10, 150, 600, 2500, 11_000, 40_000) }),
};

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

/** Anything, in any order. */
export const anyScript: fc.Arbitrary<Script> = fc.record({
  habits,
  steps: fc.array(fc.oneof(...working, ...faults, time), { maxLength: 40, size: 'max' }),
});

/** Longer than a stream must live so that its end is a new fault, in milliseconds. */
const longLifeMs = 11_000;

const longLives: fc.Arbitrary<readonly Step[]> = fc
  .record({ stream: session, repeated: fc.nat(3) })
  .map((given) => [
    { do: 'pass', ms: longLifeMs },
    { do: 'end', how: 'ends', unread: 0, ...given },
    { do: 'pass', ms: longLifeMs },
  ]);

/** Streams that live long until a proxy ends them, with work between. */
export const calmScript: fc.Arbitrary<Script> = fc.record({
  habits: habits.map((given) => ({ ...given, barrier: 'is answered' as const })),
  steps: fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: longLives },
        ...working.map(({ weight, arbitrary }) => ({ weight, arbitrary: arbitrary.map((step) => [step]) })),
      ),
      { maxLength: 40, size: 'max' },
    )
    .map((parts) => parts.flat()),
});
