import { vi } from 'vitest';
import { passTime } from '../timed-acp-server.ts';
import type { Happening } from './journal.ts';
import { brokenLaws } from './laws.ts';
import { PlayingClient } from './playing-client.ts';
import { PlayingServer } from './playing-server.ts';
import { type Script, type Step, sessions } from './steps.ts';

/** What came of a script. */
export interface Played {
  /** Everything until the client closed the channel. */
  readonly journal: readonly Happening[];
  /** What must not happen, and did. */
  readonly problems: readonly string[];
}

/** Longer than each limit of the transport. */
const longMs = 61_000;

/** Plays a script against a transport. The clock must stand still. */
export async function play({ habits, steps }: Script): Promise<Played> {
  const journal: Happening[] = [];
  const server = new PlayingServer(habits, journal);
  const client = new PlayingClient(server.http.fetch, habits, journal);
  await client.open();
  for (const sessionId of sessions) client.call(sessionId, 'session/load');
  await passTime(100);
  server.answerAll();
  await passTime(5000);
  for (const step of steps) {
    await take(step, client, server);
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
  const problems = [...brokenLaws(whileOpen), ...(await closed(client, server))];
  return { journal: whileOpen, problems };
}

/** Closes the channel, and returns what is left of it. */
async function closed({ transport }: PlayingClient, { http }: PlayingServer): Promise<readonly string[]> {
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

async function take(step: Step, client: PlayingClient, server: PlayingServer): Promise<void> {
  switch (step.do) {
    case 'call':
      return client.call(step.session, step.method);
    case 'note':
      return client.note(step.session);
    case 'withdraw':
      return client.withdraw(step.which);
    case 'say':
      return server.say(step.stream, step.count);
    case 'ask':
      return server.ask(step.stream, step.isNamed);
    case 'announce':
      return server.announceSubagent();
    case 'answer':
      return server.answer(step.which, step.where, step.isError);
    case 'end':
      return server.end(step.stream, step.how, step);
    case 'end connection':
      return server.end('', step.how);
    case 'refuse':
      return server.refuse(step.stream, step.status, step.times);
    case 'forget':
      return server.forget(step.session);
    case 'postpone':
      return server.postpone();
    case 'slow down':
      return server.slowDown(step.ms);
    case 'fall silent':
      return server.fallSilent(step.stream);
    case 'pass':
      return passTime(step.ms);
  }
}
