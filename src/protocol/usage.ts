import type * as v from 'valibot';
import type { TurnUsage } from '../model/session.ts';
import { count, meta, nullish, struct } from './vocabulary.ts';

const tokens = nullish(count);

/** The token usage of a turn, as agents send it. The official schema requires the first three fields. */
export const ReceivedUsage = struct({
  totalTokens: tokens,
  inputTokens: tokens,
  outputTokens: tokens,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: meta,
});
export type ReceivedUsage = v.InferOutput<typeof ReceivedUsage>;

/** Converts token usage to the neutral model. Returns `undefined` if it contains no number. */
export function normalizeUsage(usage: ReceivedUsage | null | undefined): TurnUsage | undefined {
  if (!usage) return undefined;
  const {
    totalTokens,
    inputTokens,
    outputTokens,
    thoughtTokens,
    cachedReadTokens,
    cachedWriteTokens,
    _meta,
  } = usage;
  const numbers = [
    totalTokens,
    inputTokens,
    outputTokens,
    thoughtTokens,
    cachedReadTokens,
    cachedWriteTokens,
  ];
  if (numbers.every((number) => number == null)) return undefined;
  return {
    totalTokens: totalTokens ?? null,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    ...(thoughtTokens != null && { thoughtTokens }),
    ...(cachedReadTokens != null && { cachedReadTokens }),
    ...(cachedWriteTokens != null && { cachedWriteTokens }),
    ...(_meta && { _meta }),
  };
}
