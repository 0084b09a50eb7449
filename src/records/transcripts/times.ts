import { instantOf } from '../../core/base/instant.ts';

/** Whether a value is a time that can be compared. A clock that was wrong is one. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && instantOf(value) !== undefined;
}

/** A negative number if `one` is before `other`. What is not a time is before all times. */
export function compareTimes(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => instantOf(text)?.getTime() ?? Number.MIN_SAFE_INTEGER);
  return Number(a) - Number(b);
}

/** The earliest of these times. `undefined` if there is none. */
export function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort(compareTimes)[0];
}
