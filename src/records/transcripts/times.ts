import { instantOf } from '../../core/base/instant.ts';

/** The last time that a `Date` can have, in milliseconds. */
const lastTime = 8.64e15;

/** Whether a value is a time that can be compared. A clock that was wrong is one. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && instantOf(value) !== undefined;
}

/** A negative number if `one` is before `other`. What is not a time is before all times. */
export function compareTimes(one: string, other: string): number {
  return millisecondsOf(one) - millisecondsOf(other);
}

function millisecondsOf(time: string): number {
  return instantOf(time)?.getTime() ?? Number.MIN_SAFE_INTEGER;
}

/** The present time, or a later one that is after all of these. */
export function timeAfter(times: readonly string[]): string {
  const last = times.reduce((latest, time) => Math.max(latest, millisecondsOf(time)), 0);
  return new Date(Math.min(Math.max(Date.now(), last + 1), lastTime)).toISOString();
}

/** The earliest of these times. `undefined` if there is none. */
export function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort(compareTimes)[0];
}
