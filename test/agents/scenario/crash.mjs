import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../dist/conversation.js';
import { differs, fault, lacks, works } from './outcome.mjs';
import { promptAgain } from './sessions.mjs';
import { until, watch, within } from './waiting.mjs';

/** Kills the agent in the middle of a turn: everything that waits must end, and say why. */
export async function crash(context) {
  const { editor, place, watched } = context;
  const session = await editor.connection.newSession({ cwd: place.project.folder });
  await session.prompt('Before the crash. [[text]]');
  context.sessionId = session.sessionId;
  const running = watch(session.prompt('Take your time. [[slow]]'), watched);
  await until(
    session,
    ({ entries }) => entries.some((entry) => entry.kind === 'message' && textOf(entry).includes('slow 2.')),
    30_000,
  );
  kill(editor.process);
  await within(running.settled, 10_000);
  const end = await within(editor.connection.closed, 10_000);
  if (running.ended?.error?.code !== 'connection.closed') return fault('the prompt did not end as it must');
  if (end === 'late' || end.exit?.signal !== 'SIGKILL')
    return fault('the connection does not say how it ended');
  const { activity, entries } = session.conversation.getSnapshot();
  if (!session.closed || activity.state !== 'idle') return fault(`the session is ${activity.state}`);
  if (!entries.some((entry) => entry.kind === 'message' && textOf(entry).includes('slow 2.'))) {
    return fault('what was said before the crash is gone');
  }
  return works();
}

/** The session again, in a new run of the agent. */
export async function reconnect(context) {
  const { editor, place, sessionId } = context;
  const { connection } = editor;
  const session = await connection.restoreSession({ sessionId, cwd: place.project.folder });
  context.session = session;
  const again = await promptAgain(context);
  // After the prompt: by now also a replay has come that came after the answer.
  const texts = session.conversation
    .getSnapshot()
    .entries.filter(({ kind }) => kind === 'message')
    .map(textOf);
  if (texts.at(-1).includes('slow '))
    return differs('what the agent has left running goes on with the turn, into the next one');
  if (again.outcome !== 'works') return again;
  if (!texts.some((text) => text.includes('Before the crash.'))) return works('without history');
  const cut = texts.some((text) => text.includes('slow 1.'));
  return works(cut ? 'with the words of the turn that was cut short' : 'without the turn that was cut short');
}

/** The same crash, with a connection that was told to start the agent again by itself. */
export async function recover(context) {
  const { editor, place } = context;
  const { connection } = editor;
  const session = await connection.newSession({ cwd: place.project.folder });
  context.session = session;
  await session.prompt('Before the crash. [[text]]');
  await sleep(context.agent.reloadAfterMs ?? 0);
  const open = new Promise((resolve) => {
    connection.onStateChange((state) => state === 'open' && resolve());
  });
  const crashed = editor.process.pid;
  process.kill(crashed, 'SIGKILL');
  await within(open, 60_000);
  if (connection.state !== 'open' || editor.process.pid === crashed)
    return fault('nothing was started again');
  if (session.closed) return lacks('the agent cannot restore sessions');
  return promptAgain(context);
}

/** Kills the program and the others of its group at once: where it is a wrapper, what it wraps could go on. */
function kill({ pid }) {
  process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}
