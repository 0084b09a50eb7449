import { instantOf } from '../core/base/instant.ts';
import { isJsonObject } from '../core/base/json.ts';
import type { RateLimit } from '../core/model/session.ts';
import type { AgentKnowledge, RateLimitReader } from '../core/protocol/agent-knowledge.ts';
import { minutesPerDay, numberOf } from './limit-values.ts';

const unitMinutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: minutesPerDay, w: 7 * minutesPerDay };

/** What is used of a number, a length such as `5h`, and ISO 8601. */
function limitsOf(value: unknown): readonly RateLimit[] {
  const reported = isJsonObject(value) ? value['rateLimits'] : undefined;
  if (!isJsonObject(reported)) return [];
  const { summary, limits } = reported;
  const all = [...(Array.isArray(limits) ? limits : []), summary];
  return all.filter(isJsonObject).flatMap(({ window, used, limit, resetAt }) => {
    if (typeof window !== 'string') return [];
    const [count, most] = [numberOf(used), numberOf(limit)];
    return [
      {
        limitId: window,
        name: null,
        windowMinutes: lengthOf(window),
        usedPercent: count !== null && most !== null && most > 0 ? (count / most) * 100 : null,
        resetsAt: (typeof resetAt === 'string' && instantOf(resetAt)?.getTime()) || null,
        status: null,
      },
    ];
  });
}

function lengthOf(window: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(window) ?? [];
  const minutes = unitMinutes[unit];
  return minutes === undefined ? null : Number(count) * minutes;
}

// Seen in: the source of its limits; 2026-11-26
export const kimi: AgentKnowledge = {
  names: ['kimi-code'],
};

export const kimiLimits: RateLimitReader = { key: 'kimiCode', read: limitsOf };
