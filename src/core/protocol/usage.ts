import { omitNullish } from '../base/json.ts';
import type { TurnUsage } from '../model/session.ts';
import { Usage } from './unstable.ts';
import * as v from './vocabulary.ts';

const tokens = v.nullish(v.count);

/** The token usage of a turn, as agents send it. The official schema requires the first three fields. */
export const ReceivedUsage = v.struct({
  ...Usage.entries,
  totalTokens: tokens,
  inputTokens: tokens,
  outputTokens: tokens,
});
export type ReceivedUsage = v.InferOutput<typeof ReceivedUsage>;

const { _meta: _, ...counts } = Usage.entries;
// The keys of the counts.
const numbers = Object.keys(counts) as (keyof typeof counts)[];

/** Converts token usage to the neutral model. Returns `undefined` if it contains no number. */
export function normalizeUsage(usage: ReceivedUsage | null | undefined): TurnUsage | undefined {
  if (!usage || numbers.every((name) => usage[name] == null)) return undefined;
  const { thoughtTokens, cachedReadTokens, cachedWriteTokens, _meta } = usage;
  return {
    totalTokens: usage.totalTokens ?? null,
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    ...omitNullish({ thoughtTokens, cachedReadTokens, cachedWriteTokens, _meta }),
  };
}
