import { instantOf } from '../base/instant.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Conversation } from '../model/conversation.ts';

/**
 * One limit of the user's plan, such as the work of five hours. Agents report them in `_meta`, each in its own form.
 *
 * @experimental
 */
export interface RateLimit {
  /** The agent's name for the limit, such as `five_hour`, `codex/primary` or `5h`. Unique in the list. */
  readonly limitId: string;
  /** A name to show. `null` if the agent gives none. */
  readonly name: string | null;
  /** How long the limit counts before it begins again, in minutes. `null` if the agent does not say it. */
  readonly windowMinutes: number | null;
  /** How much is used, in percent. It can exceed 100. `null` if the agent does not say it. */
  readonly usedPercent: number | null;
  /** When the limit begins again, in milliseconds as `Date.now()` counts them. `null` if the agent does not say it. */
  readonly resetsAt: number | null;
  /** What the agent says of the limit: `warning` near its end, `reached` at it. `null` if the agent says nothing. */
  readonly status: 'allowed' | 'warning' | 'reached' | null;
}

/** Where agents report the limits of a plan, in the `_meta` of a usage. Conventions, and not part of the protocol. */
const rateLimitKeys = ['_claude/rateLimit', '_codex/rateLimits', 'kimiCode'] as const;

/** Reads what one key of `_meta` has. */
type Reader = (value: unknown) => readonly RateLimit[];

/** The known forms. What does not have the form of its key is left out. */
const readers: Readonly<Record<(typeof rateLimitKeys)[number], Reader>> = {
  '_claude/rateLimit': claudeLimits,
  '_codex/rateLimits': codexLimits,
  kimiCode: (value) => kimiLimits(isJsonObject(value) ? value['rateLimits'] : undefined),
};

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
  const found = [usage?._meta, meta].flatMap((place) => (place ? [limitsIn(place)] : []));
  return found.find((limits) => limits.length > 0) ?? [];
}

/**
 * The metadata of a usage, with the limits that an earlier one reported: agents send the tokens often, and the limits
 * with some of them.
 */
export function keepRateLimits(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): JsonObject | undefined {
  const kept = rateLimitKeys.filter((key) => before && Object.hasOwn(before, key));
  if (kept.length === 0) return after;
  return { ...Object.fromEntries(kept.map((key) => [key, before?.[key] ?? null])), ...after };
}

function limitsIn(place: JsonObject): readonly RateLimit[] {
  const all = rateLimitKeys.flatMap((key) => (Object.hasOwn(place, key) ? readers[key](place[key]) : []));
  return [...new Map(all.map((limit) => [limit.limitId, limit])).values()];
}

const minutesPerDay = 24 * 60;

// --- Claude: shares of 1, and seconds. Newer versions report several windows at once. ---

const claudeStatus: Readonly<Record<string, RateLimit['status']>> = {
  allowed: 'allowed',
  allowed_warning: 'warning',
  rejected: 'reached',
};

const claudeWindows: readonly (readonly [prefix: string, minutes: number])[] = [
  ['five_hour', 5 * 60],
  ['seven_day', 7 * minutesPerDay],
];

function claudeLimits(value: unknown): readonly RateLimit[] {
  if (!isJsonObject(value)) return [];
  const { status, rateLimitType, unifiedWindows } = value;
  const windows = isJsonObject(unifiedWindows) ? unifiedWindows : {};
  const named = typeof rateLimitType === 'string' ? rateLimitType : null;
  const said =
    typeof status === 'string' && Object.hasOwn(claudeStatus, status) ? claudeStatus[status] : null;
  const limits = Object.entries(windows).flatMap(([limitId, window]) =>
    isJsonObject(window) ? [claudeLimit(limitId, window, limitId === named ? said : null)] : [],
  );
  // The status is that of one limit, which need not be among the windows.
  const isListed = limits.some(({ limitId }) => limitId === named);
  return named === null || isListed ? limits : [claudeLimit(named, value, said), ...limits];
}

function claudeLimit(
  limitId: string,
  { utilization, resetsAt }: JsonObject,
  status: RateLimit['status'] | undefined,
): RateLimit {
  const [, windowMinutes = null] = claudeWindows.find(([prefix]) => limitId.startsWith(prefix)) ?? [];
  const used = numberOf(utilization);
  return {
    limitId,
    name: null,
    windowMinutes,
    usedPercent: used === null ? null : used * 100,
    resetsAt: fromSeconds(resetsAt),
    status: status ?? null,
  };
}

// --- Codex: a list, each with up to two windows, in percent, minutes and seconds. ---

function codexLimits(value: unknown): readonly RateLimit[] {
  const snapshots = Array.isArray(value) ? value : [value];
  return snapshots.filter(isJsonObject).flatMap(({ limitId, limitName, ...snapshot }) =>
    (['primary', 'secondary'] as const).flatMap((window) => {
      const part = snapshot[window];
      if (!isJsonObject(part)) return [];
      return [
        {
          limitId: `${typeof limitId === 'string' ? limitId : 'codex'}/${window}`,
          name: typeof limitName === 'string' ? limitName : null,
          windowMinutes: numberOf(part['windowDurationMins']),
          usedPercent: numberOf(part['usedPercent']),
          resetsAt: fromSeconds(part['resetsAt']),
          status: null,
        },
      ];
    }),
  );
}

// --- Kimi: what is used of a number, a length such as `5h`, and ISO 8601. ---

const unitMinutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: minutesPerDay, w: 7 * minutesPerDay };

function kimiLimits(value: unknown): readonly RateLimit[] {
  if (!isJsonObject(value)) return [];
  const { summary, limits } = value;
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

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function fromSeconds(value: unknown): number | null {
  const seconds = numberOf(value);
  return seconds === null ? null : seconds * 1000;
}
