import type * as v from 'valibot';
import type { TurnUsage } from '../model/session.ts';
import { Usage } from './unstable.ts';
import { count, nullish, struct } from './vocabulary.ts';

const tokens = nullish(count);

/** The token usage of a turn, as agents send it. The official schema requires the first three fields. */
export const ReceivedUsage = struct({
  ...Usage.entries,
  totalTokens: tokens,
  inputTokens: tokens,
  outputTokens: tokens,
});
export type ReceivedUsage = v.InferOutput<typeof ReceivedUsage>;

const numbers = [
  'totalTokens',
  'inputTokens',
  'outputTokens',
  'thoughtTokens',
  'cachedReadTokens',
  'cachedWriteTokens',
] as const;

/** Converts token usage to the neutral model. Returns `undefined` if it contains no number. */
export function normalizeUsage(usage: ReceivedUsage | null | undefined): TurnUsage | undefined {
  if (!usage || numbers.every((name) => usage[name] == null)) return undefined;
  const { thoughtTokens, cachedReadTokens, cachedWriteTokens, _meta } = usage;
  return {
    totalTokens: usage.totalTokens ?? null,
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    ...(thoughtTokens != null && { thoughtTokens }),
    ...(cachedReadTokens != null && { cachedReadTokens }),
    ...(cachedWriteTokens != null && { cachedWriteTokens }),
    ...(_meta && { _meta }),
  };
}
