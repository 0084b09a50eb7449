import { expect } from 'vitest';

/** `expect.poll` with a limit that is only for a hang: programs may take seconds to start on a busy machine. */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: 60_000, ...options });
