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

const which = fc.nat(3);
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

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    7,
    fc.record({
      do: fc.constant('fates' as const),
      direction: fc.constantFrom('to page' as const, 'to host' as const),
      fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
    }),
  ),
  weighted(2, fc.record({ do: fc.constant('deliver late' as const) })),
  weighted(3, fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(20, 300, 1200, 4000) })),
  weighted(
    2,
    fc.record({
      do: fc.constantFrom(
        'new session' as const,
        'refresh' as const,
        'cancel' as const,
        'restart' as const,
        'dismiss' as const,
      ),
    }),
  ),
  weighted(
    2,
    fc.record({ do: fc.constantFrom('open' as const, 'close' as const, 'delete' as const), which }),
  ),
  weighted(6, fc.record({ do: fc.constantFrom('prompt' as const, 'queue' as const, 'draft' as const) })),
  weighted(4, fc.record({ do: fc.constantFrom('revoke' as const, 'answer' as const), which })),
  weighted(
    6,
    fc.record({ do: fc.constantFrom('say' as const, 'say' as const, 'ask' as const, 'ask' as const) }),
  ),
  weighted(1, fc.record({ do: fc.constant('crash' as const) })),
  weighted(4, fc.record({ do: fc.constantFrom('end turn' as const, 'withdraw' as const), which })),
  weighted(
    1,
    fc.record({
      do: fc.constantFrom('reload page' as const, 'reload host' as const, 'kill host' as const),
    }),
  ),
);

/** Anything that can happen, in any order. */
export const anySteps = fc.array(step, { maxLength: 40, size: 'max' });
