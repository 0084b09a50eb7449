import { setTimeout as sleep } from 'node:timers/promises';

/** For everything that a busy machine can make slow. */
export const limitMs = 90_000;

/**
 * Waits until `read` returns what is wanted, and resolves to it.
 *
 * @param what - What is waited for, for the error.
 * @param isWanted - Default: anything but `undefined`, `null` and `false`.
 */
export async function until(what, read, isWanted = isSomething) {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > end) {
      throw new Error(
        `Not within ${limitMs / 1000} s: ${what}. The last value was ${JSON.stringify(value)}.`,
      );
    }
    await sleep(50);
  }
}

function isSomething(value) {
  return value !== undefined && value !== null && value !== false;
}
