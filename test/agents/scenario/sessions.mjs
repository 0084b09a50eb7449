import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../dist/conversation.js';
import { lostIn, replayDifferences, updatesOf } from '../checks.mjs';
import { answerText } from '../mock-model/directives.mjs';
import { differs, fault, works } from './outcome.mjs';
import { quiet } from './waiting.mjs';

async function listed({ connection }, cwd) {
  const ids = [];
  for await (const { sessionId } of connection.listSessions({ cwd })) ids.push(sessionId);
  return ids;
}

export async function list({ editor, place, sessionId }) {
  const ids = await listed(editor, place.project.folder);
  return ids.includes(sessionId) ? works() : differs('the session is not on the list');
}

/** Loads the session of an earlier run of the agent, and compares its replay with the live conversation. */
export async function load(context) {
  const { editor, place, sessionId, live } = context;
  const from = editor.messages.length;
  const session = await editor.connection.loadSession({ sessionId, cwd: place.project.folder });
  context.session = session;
  const atAnswer = session.conversation.entries.length;
  await sleep(context.agent.promptAfterReloadMs ?? 0);
  await quiet(editor.messages);
  const replayed = session.conversation;
  const lost = lostIn(replayed, updatesOf(editor.messages, sessionId, from), ['user', 'agent', 'thought']);
  if (lost.length > 0) return fault(lost.join('; '));
  context.losses.push(...replayDifferences(live, replayed));
  return works(replayed.entries.length > atAnswer ? 'answers before the replay' : '');
}

/** Looks behind the prompt only: the history has the same answer. */
export async function promptAgain({ session }) {
  await session.prompt('Greet me again. [[text]]');
  const { entries } = session.conversation;
  const isSaid = (role) => (entry) => entry.kind === 'message' && entry.role === role;
  const last = entries.slice(entries.findLastIndex(isSaid('user'))).findLast(isSaid('agent'));
  if (!last) return fault('the answer is not in the conversation');
  return textOf(last).endsWith(answerText) ? works() : differs('the answer is not what the model said');
}

export async function close({ session }) {
  await session.close();
  return session.isClosed ? works() : fault('the session is not closed');
}

export async function resume(context) {
  const { editor, place, sessionId } = context;
  const from = editor.messages.length;
  context.session = await editor.connection.resumeSession({ sessionId, cwd: place.project.folder });
  const words = updatesOf(editor.messages, sessionId, from).filter(({ content }) => content !== undefined);
  if (words.length > 0) return differs('the history is sent anyway');
  return promptAgain(context);
}

export async function remove({ editor, place, sessionId }) {
  const { connection } = editor;
  await connection.deleteSession(sessionId);
  if (!connection.supports('session.list')) return works();
  const ids = await listed(editor, place.project.folder);
  return ids.includes(sessionId) ? differs('it is still on the list') : works();
}
