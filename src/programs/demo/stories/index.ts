import { newSession, type Session } from '../session.ts';
import type { Story } from '../updates.ts';
import { leapDay } from './leap-day.ts';
import { lighthouse } from './lighthouse.ts';
import { teaHouse } from './tea-house.ts';

/** Example sessions, which show what a transcript can contain. */
export const examples: readonly Session[] = [leapDay, teaHouse, lighthouse].map(toSession);

function toSession({ steps, ...described }: Story): Session {
  const session = { ...newSession(described.sessionId, described.cwd), ...described };
  for (const step of steps) session.history.push(...step(session.history.length + 1));
  return session;
}
