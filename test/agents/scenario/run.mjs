import { setTimeout as sleep } from 'node:timers/promises';
import { lostIn, restProblems, updatesOf } from '../checks.mjs';
import { startEditor } from '../editor.mjs';
import { fault, outcomeOf } from './outcome.mjs';
import { crashedRun, crowdedRun, firstRun, recoveringRun, restoredRun, secondRun } from './steps.mjs';
import { within } from './waiting.mjs';

const stepLimitMs = 150_000;
/** How long what an agent says after the end of a turn is waited for, before the session is looked at. */
const afterwardsMs = 400;

/**
 * Runs an agent through the whole scenario, in one version of the protocol.
 *
 * @returns `{ steps: { [id]: { outcome, note } }, losses, faults, messages, diagnostics }`: `losses` is what a replay
 *   does not give back, `faults` what this library got wrong.
 */
export async function runScenario(setting) {
  const report = { steps: {}, losses: [], faults: [], messages: [], diagnostics: [] };
  const context = { ...setting, losses: report.losses };
  await run(context, report, firstRun, { begins: true, keeps: true });
  await run(context, report, crowdedRun);
  await sleep(setting.agent.reloadAfterMs ?? 0);
  await run(context, report, secondRun);
  await run(context, report, crashedRun);
  await sleep(setting.agent.reloadAfterMs ?? 0);
  await run(context, report, restoredRun);
  await run(context, report, recoveringRun, { reconnect: { firstDelayMs: 50 } });
  return report;
}

/** One run of the agent: its steps, and what must hold between them and at the end. */
async function run(context, report, steps, { begins = false, keeps = false, reconnect } = {}) {
  const editor = await startEditor({ ...context, protocolVersions: [context.version], reconnect });
  context.editor = editor;
  context.session = undefined;
  context.watched = [];
  try {
    if (begins) {
      context.session = await editor.connection.newSession({ cwd: context.place.project.folder });
      context.sessionId = context.session.sessionId;
      await sleep(afterwardsMs);
    }
    for (const step of steps) await runStep(step, context, report);
    if (keeps) keep(context, report);
  } finally {
    await finish(context, steps, report);
  }
}

async function runStep({ id, run: carryOut }, context, report) {
  const { editor } = context;
  const from = editor.messages.length;
  let result;
  try {
    result = await within(carryOut(context), stepLimitMs);
    if (result === 'late') result = fault(`it took longer than ${stepLimitMs / 1000} s`);
  } catch (error) {
    result = outcomeOf(error);
    const sent = editor.messages.slice(from).filter(({ direction }) => direction === 'out');
    if (result.outcome === 'lacks' && sent.length > 0)
      result = fault('something was sent that was refused here');
  }
  await sleep(afterwardsMs);
  if (result.outcome !== 'fault' && context.session && !context.session.closed) {
    const problems = restProblems(context.session);
    if (problems.length > 0) result = fault(problems.join('; '));
  }
  report.steps[id] = result;
  if (result.outcome === 'fault') report.faults.push(`${id}: ${result.note}`);
}

/** Keeps what was lived through, for the comparison with its replay, and checks that nothing of it was lost. */
function keep(context, report) {
  const { editor, session, sessionId } = context;
  context.lived = session.conversation.getSnapshot();
  const lost = lostIn(context.lived, updatesOf(editor.messages, sessionId), ['agent', 'thought']);
  report.faults.push(...lost);
}

async function finish({ editor, watched }, steps, report) {
  const { connection } = editor;
  if ((await within(editor.close(), 30_000)) === 'late') {
    report.faults.push(`after ${steps.at(-1).id}: closing the connection took longer than 30 s`);
  }
  if (connection.state !== 'closed')
    report.faults.push(`the connection is ${connection.state} after its end`);
  // Also a prompt that the agent never answers ends with the connection.
  if (watched.some(({ ended }) => !ended))
    report.faults.push('a prompt is open after the end of the connection');
  if (connection.sessions.length > 0) report.faults.push('sessions are left after the end of the connection');
  report.messages.push(...editor.messages);
  report.diagnostics.push(...editor.diagnostics);
}
