export const minutesPerDay = 24 * 60;

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A time in milliseconds, of one in seconds. */
export function fromSeconds(value: unknown): number | null {
  return typeof value === 'number' ? numberOf(value * 1000) : null;
}
