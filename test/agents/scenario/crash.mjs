import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../dist/conversation.js';
import { openSession } from '../editor.mjs';
import { endProcess, runningProcesses } from '../leftovers.mjs';
import { differs, fault, lacks, works } from './outcome.mjs';
import { promptAgain } from './sessions.mjs';
import { earlyEnd, speaking } from './turns.mjs';
import { until, untilLoadable, untilThere, watch, within } from './waiting.mjs';

const beforeText = 'Before the crash.';

/** Kills the agent in the middle of a turn. Everything that waits must end, and say why. */
export async function crash(context) {
  const { editor } = context;
  const { session, begunAt, running } = await startTurn(context);
  context.crashed = { sessionId: session.sessionId, begunAt };
  const shown = session.conversation.entries;
  killGroup(editor.process);
  await within(running.settled, 10_000);
  const end = await within(editor.connection.closed, 10_000);
  if (running.ended?.error?.code !== 'connection.closed') return fault('the prompt did not end as it must');
  if (end === 'late' || end.exit?.signal !== 'SIGKILL')
    return fault('the connection does not say how it ended');
  const { activity, entries } = session.conversation;
  if (!session.isClosed || activity.state !== 'idle') return fault(`the session is ${activity.state}`);
  const problems = interruptionProblems(shown, entries);
  return problems.length > 0 ? fault(problems.join('; ')) : works();
}

/** Restores the session in a new run of the agent. */
export async function reconnect(context) {
  const { editor, place, sessionId } = { ...context, ...context.crashed };
  const { connection } = editor;
  const session = await connection.openSession({ sessionId, cwd: place.project.folder });
  context.session = session;
  const again = await promptAgain(context);
  // Read after the prompt: by then a replay that follows the answer has arrived too.
  const texts = messageTexts(session.conversation.entries);
  if (texts.at(-1).includes('slow ')) return differs('the interrupted turn continues in the next turn');
  if (again.outcome !== 'works') return again;
  if (!texts.some((text) => text.includes(beforeText))) return works('without history');
  const cut = texts.some((text) => text.includes('slow 1.'));
  return works(cut ? 'with the text of the interrupted turn' : 'without the interrupted turn');
}

/**
 * Kills the agent in the middle of a turn, with a connection that starts it again. The transcript that the user has on
 * the screen must stay as it is: the same entries under the same keys, and nothing twice.
 */
export async function recover(context) {
  const { editor } = context;
  const { connection } = editor;
  const { session, running } = await startTurn(context, (begunAt) => untilLoadable(context, begunAt));
  const open = untilOpen(connection);
  const crashed = editor.process.pid;
  const shown = session.conversation.entries;
  killGroup(editor.process);
  // In version 2, a turn is open until the session is restored.
  await within(running.settled, 60_000);
  if (running.ended?.error?.promptAccepted !== true)
    return fault('the prompt does not reject as an accepted one');
  await within(open, 60_000);
  if (connection.state !== 'open' || editor.process.pid === crashed)
    return fault('the agent was not started again');
  if (session.isClosed) return lacks('the agent cannot restore sessions');
  const problems = interruptionProblems(shown, session.conversation.entries);
  if (problems.length > 0) return fault(problems.join('; '));
  const restored = session.conversation.entries;
  context.session = session;
  await sleep(context.agent.promptAfterReloadMs ?? 0);
  const again = await promptAgain(context);
  const { entries } = session.conversation;
  const kept = keptProblems(restored, entries);
  if (kept.length > 0) return fault(kept.join('; '));
  const doubled = [beforeText, 'slow 1. '].filter((text) => countOf(entries, text) !== 1);
  if (doubled.length > 0) return fault(`${doubled.join(', ')} is in the transcript more than once`);
  if (messageTexts(entries).at(-1).includes('slow '))
    return differs('the interrupted turn continues in the next turn');
  return again;
}

/** Resolves when the connection has restarted the agent. */
export function untilOpen(connection) {
  return new Promise((resolve) => {
    connection.onStateChange((state) => state === 'open' && resolve());
  });
}

/** A new session with one turn that has ended, and one in which the agent is speaking. */
async function startTurn(context, pause = () => {}) {
  const { watched } = context;
  const session = await openSession(context);
  const begunAt = Date.now();
  await session.prompt(`${beforeText} [[text]]`);
  await pause(begunAt);
  const running = await speaking({ session, watched }, 'Take your time. [[slow]]');
  return { session, begunAt, running };
}

/** What is wrong with a transcript after the turn in it was interrupted. `shown`: its entries before that. */
function interruptionProblems(shown, entries) {
  const last = entries.at(-1);
  const problems = keptProblems(shown, entries);
  if (last?.kind !== 'turnFailure' || last.cause !== 'interrupted' || last.reason === '')
    problems.push('the transcript does not end with the interruption');
  if (entries.some(({ origin }) => origin === 'local')) problems.push('the prompt is still unconfirmed');
  return problems;
}

/** The entries that are gone, have moved or lost words. */
export function keptProblems(shown, entries) {
  return shown.flatMap((before, index) => {
    const after = entries[index];
    if (after?.key !== before.key) return [`the entry ${before.key} is gone or has moved`];
    const isLonger = before.kind !== 'message' || textOf(after).startsWith(textOf(before));
    return isLonger ? [] : [`the entry ${before.key} has lost words`];
  });
}

/** The texts of the messages of a transcript. */
export function messageTexts(entries) {
  return entries.filter(({ kind }) => kind === 'message').map(textOf);
}

function countOf(entries, text) {
  return messageTexts(entries).join('\n').split(text).length - 1;
}

/** Kills the program and the others of its group at once: where it is a wrapper, the agent behind it could go on. */
function killGroup({ pid }) {
  process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}

const hasToolCall = ({ entries }) => entries.some(({ kind }) => kind === 'toolCall');

/**
 * Kills the agent alone while a command runs, as a crash does: its helpers and the command go on. Before the connection
 * starts the agent again, the library must have ended them, wherever they are: both would use the same files.
 */
export async function crashOfOne(context) {
  const { editor, others, place, version, watched } = context;
  const { connection } = editor;
  const session = await openSession(context);
  // Another version of the protocol runs in the same folder.
  const started = place.project.path(`started-${version}.txt`);
  // The command does not end by itself.
  const prompt = `Run this. [[shell touch ${started} && tail -f ${started}]]`;
  const running = watch(session.prompt(prompt), watched);
  await Promise.race([untilThere(started, 60_000), running.settled]);
  // A command can run before its tool call is there, and the prompt is then not known to be accepted.
  await Promise.race([until(session, hasToolCall, 60_000), running.settled]);
  if (running.ended) return earlyEnd(running);
  const earlier = pidsOf(others);
  const old = runningProcesses(place.mark).filter(({ pid }) => !earlier.has(pid));
  if (!old.some(({ pid }) => pid === editor.process.pid))
    return lacks('its processes cannot be found on this system');
  const findLeft = () => {
    const still = pidsOf(runningProcesses(place.mark));
    return old.filter(({ pid }) => still.has(pid));
  };
  const open = untilOpen(connection);
  // The end of an agent releases the terminals of the client, and its restart does not wait for them.
  const isOwnTerminal = editor.calledSince(0).includes('terminal/create');
  const found = isOwnTerminal ? open.then(findLeft) : editor.whenRestarting(findLeft);
  process.kill(editor.process.pid, 'SIGKILL');
  await within(running.settled, 60_000);
  if (running.ended?.error?.promptAccepted !== true)
    return fault('the prompt does not reject as an accepted one');
  await within(open, 60_000);
  if (connection.state !== 'open') return fault('the agent was not started again');
  context.session = session;
  const left = await found;
  // They must not disturb the steps that follow.
  for (const { pid } of left) endProcess(pid, 'SIGKILL');
  return left.length === 0 ? works() : fault(`still running when it is started again: ${namesOf(left)}`);
}

const pidsOf = (processes) => new Set(processes.map(({ pid }) => pid));

function namesOf(processes) {
  const names = processes.map(({ command }) => command.split(' ')[0].split('/').at(-1));
  return [...new Set(names)].sort().join(', ');
}
