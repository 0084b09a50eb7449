import type { Conversation } from '../core/model/conversation.ts';
import type { RateLimit } from '../core/model/session.ts';
import type { RateLimitReader } from '../core/protocol/agent-knowledge.ts';
import { claudeLimits } from './claude.ts';
import { codexLimits } from './codex.ts';
import { kimiLimits } from './kimi.ts';

/** The agents that report limits. */
const readers: readonly RateLimitReader[] = [codexLimits, claudeLimits, kimiLimits];

/**
 * The limits of the user's plan, as the agent reported them last. Empty if it reports none, and for a form that is not
 * known: what the agent sent is in `conversation.usage._meta`.
 *
 * These are conventions of agents and no part of the protocol. Known are `_claude/rateLimit`, `_codex/rateLimits` and
 * `kimiCode.rateLimits`, in the `_meta` of `usage_update` or of the session.
 *
 * @example
 * ```ts
 * for (const { name, limitId, usedPercent } of rateLimitsOf(session.conversation)) {
 *   if (usedPercent !== null) showMeter(name ?? limitId, usedPercent);
 * }
 * ```
 * @experimental
 */
export function rateLimitsOf({ usage, meta }: Pick<Conversation, 'usage' | 'meta'>): readonly RateLimit[] {
  for (const place of [usage?._meta ?? {}, meta ?? {}]) {
    const limits = readers.flatMap(({ key, read }) => (Object.hasOwn(place, key) ? read(place[key]) : []));
    if (limits.length > 0) return [...new Map(limits.map((limit) => [limit.limitId, limit])).values()];
  }
  return [];
}
