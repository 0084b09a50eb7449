import { expect } from 'vitest';

/**
 * As `expect.poll`, which gives up after a second: enough on an idle machine, and not where other test files start
 * programs at the same time.
 */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: 15_000, ...options });
