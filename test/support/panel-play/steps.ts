import fc from 'fast-check';

/** What a channel does with a message. */
export type Fate =
  | 'arrives'
  | 'is lost'
  | 'comes twice'
  | 'comes later'
  | 'comes later too'
  | 'throws'
  | 'rejects';

export type Direction = 'to page' | 'to host';

/** What the user, the agent, the host or the channel does. */
export type Step =
  | { readonly do: 'fates'; readonly direction: Direction; readonly fates: readonly Fate[] }
  | { readonly do: 'deliver late' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'new session' | 'refresh' | 'cancel' | 'restart' | 'dismiss' }
  | { readonly do: 'open' | 'close' | 'delete'; readonly which: number }
  | { readonly do: 'prompt' | 'queue' | 'draft' }
  | { readonly do: 'revoke' | 'answer'; readonly which: number }
  | { readonly do: 'say' | 'crash' | 'ask' }
  | { readonly do: 'end turn' | 'withdraw'; readonly which: number }
  | { readonly do: 'reload page' | 'reload host' | 'kill host' };

const fate = fc.constantFrom<Fate>(
  'arrives',
  'is lost',
  'is lost',
  'comes twice',
  'comes later',
  'comes later too',
  'throws',
  'rejects',
);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

/** Steps that have nothing but their name. */
type Plain = Exclude<
  Step,
  { readonly which: number } | { readonly ms: number } | { readonly fates: unknown }
>;
const plain = (weight: number, ...names: readonly Plain['do'][]) =>
  // Each of the names is that of such a step.
  weighted(weight, fc.record({ do: fc.constantFrom(...names) }) as fc.Arbitrary<Step>);

/** Steps that concern one of the sessions, messages, questions or turns. */
type Chosen = Extract<Step, { readonly which: number }>;
const chosen = (weight: number, ...names: readonly Chosen['do'][]) =>
  weighted(weight, fc.record({ do: fc.constantFrom(...names), which: fc.nat(3) }) as fc.Arbitrary<Step>);

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    7,
    fc.record({
      do: fc.constant('fates' as const),
      direction: fc.constantFrom('to page' as const, 'to host' as const),
      fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
    }),
  ),
  plain(2, 'deliver late'),
  weighted(3, fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(20, 300, 1200, 4000) })),
  plain(2, 'new session', 'refresh', 'cancel', 'restart', 'dismiss'),
  chosen(2, 'open', 'close', 'delete'),
  plain(6, 'prompt', 'queue', 'draft'),
  chosen(4, 'revoke', 'answer'),
  plain(6, 'say', 'ask'),
  plain(1, 'crash'),
  chosen(4, 'end turn', 'withdraw'),
  plain(1, 'reload page', 'reload host', 'kill host'),
);

/** Anything that can happen, in any order. */
export const anySteps = fc.array(step, { maxLength: 40, size: 'max' });
