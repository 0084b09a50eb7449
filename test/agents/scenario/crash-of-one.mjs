import { openSession } from '../editor.mjs';
import { endProcess, runningProcesses } from '../leftovers.mjs';
import { untilOpen } from './crash.mjs';
import { differs, fault, lacks, outcomeOf, works } from './outcome.mjs';
import { until, untilThere, watch, within } from './waiting.mjs';

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
  if (running.ended) return early(running.ended);
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

function early({ error, value }) {
  return error ? outcomeOf(error) : differs(`the turn ends at once, stop reason ${value.stopReason}`);
}
