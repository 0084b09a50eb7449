const format = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** From the largest unit, each with its length in milliseconds. */
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['week', 7 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
] as const;

/**
 * How long ago a time was, such as "5 min. ago", in the language of the user. Empty if it is no time.
 *
 * @param time - ISO 8601.
 * @param now - As `Date.now()` returns it.
 */
export function relativeTime(time: string, now: number): string {
  const passed = now - Date.parse(time);
  if (Number.isNaN(passed)) return '';
  for (const [unit, length] of units) {
    const count = Math.trunc(passed / length);
    if (count !== 0) return format.format(-count, unit);
  }
  return format.format(0, 'minute');
}
