import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { passTime } from '../timed-acp-server.ts';
import { brokenLaws, type Happening, sessions } from './journal.ts';
import { PlayingClient } from './playing-client.ts';
import { PlayingServer } from './playing-server.ts';
import { anyScript, calmScript, type Script, type Sides } from './steps.ts';

/** Longer than each limit of the transport. */
const longMs = 61_000;

/**
 * Plays a script against a transport. The clock must stand still. Returns everything that happened until the client closed
 * the channel, and what must not happen, and did.
 */
async function play({ habits, steps }: Script) {
  const journal: Happening[] = [];
  const server = new PlayingServer(habits, journal);
  const client = new PlayingClient(server.http.fetch, habits, journal);
  await client.open();
  for (const sessionId of sessions) client.call(sessionId, 'session/load');
  await passTime(100);
  server.answerAll();
  await passTime(5000);
  for (const step of steps) {
    await step.take({ client, server });
    await passTime(0);
  }
  server.calmDown();
  // A call that opens a lost session again comes when the others are over.
  for (let time = 0; time < 4; time++) {
    await passTime(longMs);
    server.answerAll();
  }
  await passTime(longMs);
  const whileOpen = [...journal];
  return {
    journal: whileOpen,
    problems: [...brokenLaws(whileOpen), ...(await leftAfterClose({ client, server }))],
  };
}

async function leftAfterClose({
  client: { transport },
  server: { http },
}: Sides): Promise<readonly string[]> {
  let isClosed = false;
  void transport.close().then(() => {
    isClosed = true;
  });
  await passTime(5000);
  if (!isClosed) return ['close did not return'];
  const left: string[] = [];
  const count = http.requests.length;
  const timers = vi.getTimerCount();
  if (timers > 0) left.push(`${timers} timers are left`);
  const open = http.streams.filter(({ isOpen }) => isOpen).map(({ name }) => name);
  if (open.length > 0) left.push(`open streams are left: ${open.join()}`);
  await passTime(longMs);
  const late = http.requests.slice(count).map(({ kind }) => kind);
  if (late.length > 0) left.push(`sent after close: ${late.join()}`);
  return left;
}

/** The laws hold, whatever goes wrong. */
export const anythingGoesWrong = fc.asyncProperty(anyScript, async (script) => {
  const { problems } = await play(script);
  expect(problems).toEqual([]);
});

/**
 * The laws hold, the connection goes on, and where events have ids no session is lost, if streams live long before they
 * end.
 */
export const streamsLiveLong = fc.asyncProperty(calmScript, async (script) => {
  const { problems, journal } = await play(script);
  expect(problems).toEqual([]);
  const isMeant = new Set(script.habits.eventIds === 'all' ? ['lost', 'failed', 'ended'] : ['ended']);
  expect(journal.filter(({ what }) => isMeant.has(what))).toEqual([]);
});
