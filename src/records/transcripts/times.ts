/** A time of ISO 8601 with a zone, also of a year with more than four digits. */
const format = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a value is a time that can be compared. A clock that was wrong is one. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && format.test(value) && !Number.isNaN(Date.parse(value));
}

/** A negative number if `one` is before `other`. What is not a time is before all times. */
export function compareTimes(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (isTime(text) ? Date.parse(text) : Number.MIN_SAFE_INTEGER));
  return Number(a) - Number(b);
}

/** The earliest of these times. `undefined` if there is none. */
export function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort(compareTimes)[0];
}
