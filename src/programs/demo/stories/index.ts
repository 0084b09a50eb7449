import type { Session } from '../session.ts';
import { leapDay } from './leap-day.ts';
import { lighthouse } from './lighthouse.ts';
import { teaHouse } from './tea-house.ts';

/** Example sessions, which show what a transcript can contain. */
export const examples: readonly Session[] = [leapDay, teaHouse, lighthouse];
