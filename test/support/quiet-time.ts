import { setTimeout as pause } from 'node:timers/promises';

/**
 * Time in which something must not happen. There is no event to wait for, so a test can only see that it did not come
 * yet. On a busy machine it sees less, and never fails because of that.
 */
export const quietTime = (ms: number): Promise<void> => pause(ms);
