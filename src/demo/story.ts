import type { StoredSession } from './history.ts';
import { leapDay } from './story-leap-day.ts';
import { lighthouse } from './story-lighthouse.ts';
import { teaHouse } from './story-tea-house.ts';

/** The sessions that are there from the start, so that there is something to list and to read. */
export const examples: readonly StoredSession[] = [leapDay, teaHouse, lighthouse];
