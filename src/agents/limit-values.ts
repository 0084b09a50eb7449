export const minutesPerDay = 24 * 60;

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A time in milliseconds, of one in seconds. */
export function fromSeconds(value: unknown): number | null {
  const seconds = numberOf(value);
  return seconds === null ? null : seconds * 1000;
}
