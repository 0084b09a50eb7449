import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rateLimitsOf } from '../../../src/agents/rate-limits.ts';
import type { JsonObject, JsonValue } from '../../../src/core/base/json.ts';
import type { RateLimit } from '../../../src/core/model/session.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

/**
 * Recordings in the forms that the agents' sources have: an agent reports limits only to a user with a plan. The turn goes
 * on after the limits were reported, so each recording has a later usage without them.
 */
async function limitsIn(name: string) {
  const lines = readFileSync(new URL(`../../fixtures/rate-limits/${name}.ndjson`, import.meta.url), 'utf8');
  const { sessions, diagnostics } = await foldTraffic(lines);
  expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const [session] = sessions;
  if (!session) throw new Error('the recording has no session');
  return rateLimitsOf(session.conversation);
}

/** A limit. What is not given is `null`. */
function limit(
  limitId: string,
  windowMinutes: number,
  usedPercent: number,
  others: Partial<RateLimit> = {},
): RateLimit {
  return { limitId, name: null, windowMinutes, usedPercent, resetsAt: null, status: null, ...others };
}

const reset = { fiveHours: 1_795_694_400_000, sevenDays: 1_796_126_400_000 };

test.each<[string, ...(readonly RateLimit[])]>([
  ['claude', limit('five_hour', 300, 78, { resetsAt: reset.fiveHours, status: 'warning' })],
  [
    'claude-windows',
    limit('five_hour', 300, 47, { resetsAt: reset.fiveHours, status: 'allowed' }),
    limit('seven_day', 10_080, 125, { resetsAt: reset.sevenDays }),
  ],
  [
    'codex',
    limit('codex/primary', 300, 0, { resetsAt: reset.fiveHours }),
    limit('codex/secondary', 10_080, 48, { resetsAt: reset.sevenDays }),
    limit('fast/primary', 60, 80, { name: 'Fast' }),
  ],
  [
    'kimi',
    limit('5h', 300, 24, { resetsAt: Date.UTC(2026, 6, 31, 14, 38, 24) }),
    limit('1w', 10_080, 35, { resetsAt: Date.UTC(2026, 7, 6, 13, 38, 24) }),
  ],
])('the limits of a plan in the recording %s', async (name, ...limits) => {
  expect(await limitsIn(name)).toEqual(limits);
});

const usage = (_meta?: JsonObject | null) =>
  ({ sessionUpdate: 'usage_update', used: 1, size: 2, ...(_meta !== undefined && { _meta }) }) as const;
const rejected = { status: 'rejected', rateLimitType: 'seven_day' };

test('there are none if the agent reports none', () => {
  const empty = emptyConversation('s1');
  expect(rateLimitsOf(empty)).toEqual([]);
  expect(rateLimitsOf(foldUpdates(empty, [usage(), usage({ quota: { token_count: 50 } })]))).toEqual([]);
});

test('a limit that was reached has no share that the agent did not report', () => {
  const conversation = foldUpdates(emptyConversation('s1'), [usage({ '_claude/rateLimit': rejected })]);
  expect(rateLimitsOf(conversation)).toMatchObject([
    { limitId: 'seven_day', status: 'reached', usedPercent: null, resetsAt: null },
  ]);
});

test('they stay until the agent reports others, clears them, or clears the metadata', () => {
  const reported = foldUpdates(emptyConversation('s1'), [usage({ '_claude/rateLimit': rejected, a: 1 })]);
  const later = foldUpdates(reported, [usage({ b: 2 })]);
  expect(later.usage?._meta).toEqual({ '_claude/rateLimit': rejected, b: 2 });
  expect(rateLimitsOf(foldUpdates(later, [usage()]))).toHaveLength(1);
  for (const meta of [{ '_claude/rateLimit': null }, null]) {
    expect(rateLimitsOf(foldUpdates(later, [usage(meta)]))).toEqual([]);
  }
});

test('they are read from the metadata of the session too', () => {
  const conversation = foldUpdates(emptyConversation('s1'), [
    { sessionUpdate: 'session_info_update', _meta: { '_claude/rateLimit': rejected } },
  ]);
  expect(rateLimitsOf(conversation)).toMatchObject([{ limitId: 'seven_day' }]);
});

test('values of another form are left out', () => {
  const wrong: readonly JsonValue[] = [
    null,
    5,
    'much',
    [],
    [null],
    [5],
    {},
    { status: 5 },
    { limits: [null, {}] },
  ];
  for (const value of wrong) {
    for (const meta of [
      { '_claude/rateLimit': value },
      { '_codex/rateLimits': value },
      { kimiCode: value },
      { kimiCode: { rateLimits: value } },
    ]) {
      const conversation = foldUpdates(emptyConversation('s1'), [usage(meta)]);
      expect({ meta, limits: rateLimitsOf(conversation) }).toEqual({ meta, limits: [] });
    }
  }
  const odd = {
    '_claude/rateLimit': { rateLimitType: 'overage', utilization: 'most', resetsAt: '5', status: 'toString' },
    '_codex/rateLimits': [{ primary: { usedPercent: null } }],
    kimiCode: { rateLimits: { summary: { window: '3x', used: 1, limit: 0, resetAt: 'soon' } } },
  };
  const limits = rateLimitsOf(foldUpdates(emptyConversation('s1'), [usage(odd)]));
  expect(limits.map(({ limitId }) => limitId)).toEqual(['codex/primary', 'overage', '3x']);
  for (const { windowMinutes, usedPercent, resetsAt, status } of limits) {
    expect([windowMinutes, usedPercent, resetsAt, status]).toEqual([null, null, null, null]);
  }
});
