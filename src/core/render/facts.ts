import { instantOf } from '../base/instant.ts';
import type { UsageCost } from '../model/session.ts';
import type { ToolCallProgress } from '../model/tool-call.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * A time for people, such as `1 Mar 2026, 10:30 UTC`. The text does not depend on the machine. Anything that is not a
 * time is returned as it is.
 */
export function timeText(iso: string): string {
  const time = instantOf(iso);
  if (!time) return iso;
  const minutes = time.toISOString().slice(-13, -8);
  return `${time.getUTCDate()} ${months[time.getUTCMonth()]} ${time.getUTCFullYear()}, ${minutes} UTC`;
}

/** A number with separators, such as `53,120`. */
export function countText(count: number): string {
  return `${count}`.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A cost in its currency, such as `0.42 USD`. Amounts below one have two significant digits. */
export function costText({ amount, currency }: UsageCost): string {
  const rounded = Math.abs(amount) < 1 ? Number(amount.toPrecision(2)) : amount.toFixed(2);
  return `${rounded} ${currency}`;
}

/** How far a call is, such as `Searching · 3 of 10`. Fractions have two digits. */
export function progressText({ progress, total, message }: ToolCallProgress): string {
  const [done, all] = [progress, total].map(
    (count) => count !== undefined && countText(Math.round(count * 100) / 100),
  );
  return [message, all ? `${done} of ${all}` : done].filter(Boolean).join(' · ');
}
