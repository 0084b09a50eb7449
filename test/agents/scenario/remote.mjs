import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../dist/index.js';
import { openSession } from '../editor.mjs';
import { keptProblems, messageTexts, untilOpen } from './crash.mjs';
import { differs, fault, lacks, works } from './outcome.mjs';
import { load, promptAgain } from './sessions.mjs';
import { speaking } from './turns.mjs';
import { within } from './waiting.mjs';

/** A connection with another token must fail, and say why. */
export async function wrongToken({ open }) {
  try {
    const connection = await connect(() => open({ Authorization: 'Bearer another' }), {
      clientInfo: { name: 'acp-client-sdk-agents', version: '1.0.0' },
    });
    await connection.close();
    return differs('the server takes any token');
  } catch (error) {
    if (error.name === 'HttpError') return works(`status ${error.status}`);
    return /\b401\b/.test(error.message) ? works('status 401') : fault(`${error.name}: ${error.message}`);
  }
}

/** How long a server may close the session of a connection that has ended. It refuses a load until then. */
const closingLimitMs = 30_000;

async function loadWhenClosed(context) {
  const end = Date.now() + closingLimitMs;
  while (true) {
    try {
      return await load(context);
    } catch (error) {
      if (!/closing/.test(error.message) || Date.now() > end) throw error;
      await sleep(500);
    }
  }
}

/** Loads the session of an earlier connection. */
export async function loadAgain(context) {
  const result = await loadWhenClosed(context);
  const isEmpty = context.session?.conversation.entries.length === 0;
  return isEmpty ? differs('the history does not come before the next prompt') : result;
}

/** Cuts all TCP connections during a turn. The transcript stays, nothing is in it twice, and the session goes on. */
export async function loss(context) {
  const { editor, cut, watched } = context;
  const { connection } = editor;
  const session = await openSession(context);
  const states = [];
  connection.onStateChange((state) => states.push(state));
  const running = await speaking({ session, watched }, 'Take some time. [[steady]]');
  const shown = session.conversation.entries;
  const open = untilOpen(connection);
  cut();
  if ((await within(running.settled, 60_000)) === 'late') return fault('the prompt does not end');
  if (states.length > 0) await within(open, 60_000);
  if (connection.state !== 'open') return fault(`the connection is ${connection.state}`);
  if (session.isClosed) return lacks('the session is not restored');
  context.session = session;
  await sleep(context.agent.promptAfterReloadMs ?? 0);
  const problems = shownProblems(shown, session.conversation);
  if (problems.length > 0) return fault(problems.join('; '));
  const again = await promptAgain(context);
  const said = messageTexts(session.conversation.entries).join('\n');
  if (shownProblems(shown, session.conversation).length > 0)
    return differs(
      'the server sends the history of the session only when the next prompt comes, beside its answer',
    );
  if (again.outcome !== 'works') return again;
  if (states.length === 0) return works('the stream goes on');
  const whole = said.includes('slow 25. ')
    ? 'with the text that came meanwhile'
    : 'without the text that came meanwhile';
  return works(`a new connection, the session loaded, ${whole}`);
}

/** What is wrong with a transcript after the cut. `shown`: its entries before that. */
function shownProblems(shown, { entries }) {
  const said = messageTexts(entries).join('\n');
  return [
    ...keptProblems(shown, entries),
    ...(said.split('slow 1. ').length === 2 ? [] : ['the text before the cut is not there once']),
    ...(said.split('Take some time.').length === 2 ? [] : ['the prompt is not there once']),
  ];
}

/** Kills the server during a turn. Everything that waits must end, and say why. */
export async function serverKilled(context) {
  const { editor, server, watched } = context;
  const session = await openSession(context);
  const running = await speaking({ session, watched }, 'Take your time. [[slow]]');
  const begun = performance.now();
  await server.kill();
  await within(running.settled, 60_000);
  const end = await within(editor.connection.closed, 60_000);
  if (running.ended?.error?.code !== 'connection.closed') return fault('the prompt did not end as it must');
  if (end === 'late') return fault('the connection does not end');
  const last = session.conversation.entries.at(-1);
  if (last?.kind !== 'turnFailure' || last.cause !== 'interrupted')
    return fault('the transcript does not end with the interruption');
  return works(performance.now() - begun < 5000 ? 'within 5 s' : 'after more than 5 s');
}
