import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lostIn, restProblems, updatesOf } from '../checks.mjs';
import { openSession, startEditor } from '../editor.mjs';
import { runningProcesses } from '../leftovers.mjs';
import { createPlace } from '../place.mjs';
import { fault, outcomeOf } from './outcome.mjs';
import {
  askingRun,
  crashedRun,
  crowdedRun,
  defaultRun,
  firstRun,
  remoteEndRun,
  remoteLoadedRun,
  remoteLossRun,
  remoteRun,
  restoredRun,
  secondRun,
  separateSteps,
  toolSteps,
} from './steps.mjs';
import { untilLoadable, within } from './waiting.mjs';

const stepLimitMs = 150_000;
/** How long to wait for messages after the end of a turn, before the session is checked. */
const afterwardsMs = 400;

/**
 * Runs an agent through the whole scenario, in one version of the protocol.
 *
 * @returns `{ steps: { [id]: { outcome, note } }, recordings, losses, faults, messages, diagnostics }`: `answer` is what it
 *   says of itself, `recordings` has that of each step, `losses` are the differences of a replay, `faults` the faults of this library.
 */
export async function runScenario(setting) {
  const report = emptyReport();
  const context = { ...setting, losses: report.losses };
  await run(context, report, firstRun, { begins: true, keeps: true });
  if (context.sessionId !== undefined) await runLaterRuns(setting, context, report);
  for (const step of separateSteps) {
    if (step.needsSession && context.sessionId === undefined) continue;
    await runSeparateStep(step, context, report);
  }
  return report;
}

/**
 * Runs an agent with tools of the editor, in one version of the protocol.
 *
 * @returns As `runScenario`. Over stdio, only if the agent takes another way by itself.
 */
export async function runWithTools(setting) {
  const report = emptyReport();
  const context = { ...setting, losses: report.losses };
  for (const step of toolSteps) {
    if (step.id === 'tools-stdio' && ['stdio', undefined].includes(report.steps.tools.way)) continue;
    context.from = setting.model.called.length;
    await run(context, report, [step]);
  }
  return report;
}

/**
 * Runs an agent that a server offers to other machines.
 *
 * @param setting - As for `runScenario`, with `open`, which opens the channel; `cut`, which cuts it; and `server`.
 * @returns As `runScenario`.
 */
export async function runRemotely(setting) {
  const report = emptyReport();
  const context = { ...setting, losses: report.losses };
  await run(context, report, remoteRun, { begins: true, keeps: true });
  if (context.sessionId !== undefined) await run(context, report, remoteLoadedRun);
  await run(context, report, remoteLossRun, { reconnect: { firstDelayMs: 50 } });
  await run(context, report, remoteEndRun);
  return report;
}

function emptyReport() {
  return {
    answer: undefined,
    steps: {},
    recordings: {},
    losses: [],
    faults: [],
    messages: [],
    diagnostics: [],
  };
}

/** Carries out a step that starts the agent itself. */
async function runSeparateStep(step, context, report) {
  const traceFile = join(context.place.mark, `${step.id}.ndjson`);
  const messages = [];
  note(step.id, await resultOf(step, { ...context, traceFile, messages }), report);
  const recording = messages.length > 0 ? recordingOf(messages) : await readFile(traceFile, 'utf8');
  report.recordings[step.id] = recording;
}

/** The runs that need a session. */
async function runLaterRuns(setting, context, report) {
  await run(context, report, crowdedRun);
  // In a clean home, first without what makes an agent ask.
  const place = createPlace(join(setting.place.mark, `clean-${setting.version}`));
  const clean = { ...setting, place, launch: setting.launchIn(place, 'mock'), settings: new Map() };
  await run({ ...clean, asking: {} }, report, defaultRun);
  await run(clean, report, askingRun);
  await run(context, report, crashedRun);
  await untilLoadable(context, context.begunAt);
  await run(context, report, secondRun);
  await untilLoadable(context, context.crashed?.begunAt ?? 0);
  await run(context, report, restoredRun, { reconnect: { firstDelayMs: 50 } });
}

/** One run of the agent: its steps, and checks after each of them and at the end. */
async function run(context, report, steps, { begins = false, keeps = false, reconnect } = {}) {
  // A daemon of an earlier run.
  context.others = runningProcesses(context.place.mark);
  const editor = await startEditor({ ...context, protocolVersions: [context.version], reconnect });
  context.editor = editor;
  report.answer ??= editor.answer;
  context.session = undefined;
  context.watched = [];
  try {
    if (begins) {
      try {
        context.session = await openSession(context);
      } catch (error) {
        for (const { id } of steps) {
          note(id, outcomeOf(error), report);
          report.recordings[id] = recordingOf(editor.messages);
        }
        return;
      }
      context.sessionId = context.session.sessionId;
      context.begunAt = Date.now();
      await sleep(afterwardsMs);
    }
    const opening = editor.messages.length;
    for (const step of steps) {
      const from = editor.messages.length;
      await runStep(step, context, report);
      const isApart = begins || step.isAlone;
      report.recordings[step.id] = recordingOf(editor.messages, { opening: isApart ? opening : from, from });
    }
    if (keeps) keep(context, report);
  } finally {
    await finish(context, steps, report);
  }
}

async function runStep(step, context, report) {
  const { editor } = context;
  const from = editor.messages.length;
  let isThrown = false;
  let result = await resultOf(step, context, () => {
    isThrown = true;
  });
  const sent = editor.messages.slice(from).filter(({ direction }) => direction === 'out');
  if (isThrown && result.outcome === 'lacks' && sent.length > 0)
    result = fault('something was sent that was refused here');
  await sleep(afterwardsMs);
  if (result.outcome !== 'fault' && context.session && !context.session.isClosed) {
    const problems = restProblems(context.session);
    if (problems.length > 0) result = fault(problems.join('; '));
  }
  note(step.id, result, report);
}

async function resultOf({ run: carryOut }, context, onError = () => {}) {
  try {
    const result = await within(carryOut(context), stepLimitMs);
    return result === 'late' ? fault(`it took longer than ${stepLimitMs / 1000} s`) : result;
  } catch (error) {
    if (error?.outcome) return error;
    onError();
    return outcomeOf(error);
  }
}

function note(id, result, report) {
  report.steps[id] = result;
  if (result.outcome === 'fault') report.faults.push(`${id}: ${result.note}`);
}

/** Keeps the live conversation for the comparison with its replay, and checks that nothing was lost. */
function keep(context, report) {
  const { editor, session, sessionId } = context;
  context.live = session.conversation;
  const lost = lostIn(context.live, updatesOf(editor.messages, sessionId), ['agent', 'thought']);
  report.faults.push(...lost);
}

async function finish({ editor, watched }, steps, report) {
  const { connection } = editor;
  if ((await within(editor.close(), 30_000)) === 'late') {
    report.faults.push(`after ${steps.at(-1).id}: closing the connection took longer than 30 s`);
  }
  if (connection.state !== 'closed')
    report.faults.push(`the connection is ${connection.state} after its end`);
  // A prompt that the agent never answers ends with the connection too.
  if (watched.some(({ ended }) => !ended))
    report.faults.push('a prompt is open after the end of the connection');
  if (connection.sessions.length > 0) report.faults.push('sessions are left after the end of the connection');
  report.messages.push(...editor.messages);
  report.diagnostics.push(...editor.diagnostics);
}

/**
 * The recording of a step, as the text of a file: the messages that open its run, and those of the step. It can be read
 * alone.
 *
 * @param messages - The messages of the run of the agent.
 * @param opening - How many of them open the run.
 * @param from - How many were there before the step.
 */
function recordingOf(messages, { opening = 0, from = 0 } = {}) {
  return [...messages.slice(0, opening), ...messages.slice(from)]
    .map(({ direction, t, message }) => `${JSON.stringify({ dir: direction, t, msg: message })}\n`)
    .join('');
}
