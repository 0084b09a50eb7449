import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderText, textOf } from '../../../dist/conversation.js';
import { updatesOf } from '../checks.mjs';
import { openSession } from '../editor.mjs';
import { afterToolText, answerText, errorText, fileContent, thoughtText } from '../mock-model/directives.mjs';
import { differs, fault, lacks, outcomeOf, refuses, works } from './outcome.mjs';
import { until, untilThere, watch, within } from './waiting.mjs';

/** What the steps below are given: `{ editor, session, place, watched }`. */

/** Prompts, and returns what is new in the conversation at the end of the turn. */
export async function turn({ editor, session }, prompt) {
  const before = new Set(session.conversation.entries.map(({ key }) => key));
  const from = editor.messages.length;
  const result = await session.prompt(prompt);
  const entries = session.conversation.entries.filter(({ key }) => !before.has(key));
  const words = (role) =>
    entries
      .filter((entry) => entry.kind === 'message' && entry.role === role)
      .map(textOf)
      .join('');
  return {
    ...result,
    user: words('user'),
    agent: words('agent'),
    thought: words('thought'),
    toolCalls: entries.filter(({ kind }) => kind === 'toolCall'),
    called: editor.calledSince(from),
    updates: updatesOf(editor.messages, session.sessionId, from),
  };
}

export const asked = ({ called }) => called.includes('session/request_permission');

export async function text(context) {
  const prompt = 'Please greet me. [[text]]';
  const said = await turn(context, prompt);
  if (!said.agent.endsWith(answerText)) return differs('the answer is not what the model said');
  if (said.user !== prompt) return differs('the prompt is reported in another wording');
  return said.stopReason === 'end_turn' ? works() : differs(`stop reason ${said.stopReason}`);
}

export async function thoughts(context) {
  const said = await turn(context, 'Think first. [[think]]');
  if (said.thought === '') return lacks('thoughts are not sent');
  if (!said.agent.endsWith(answerText)) return differs('the answer is not what the model said');
  return said.thought === thoughtText ? works() : works('reworded');
}

export async function write(context) {
  const path = context.place.project.path('notes.txt');
  const said = await turn(context, `Write a note. [[write ${path}]]`);
  // Some tools drop the line feed at the end.
  if (context.place.project.read('notes.txt')?.trimEnd() !== fileContent.trimEnd()) {
    return differs('the file is not there');
  }
  if (!said.toolCalls.some(({ status }) => status === 'completed'))
    return differs('no tool call is completed');
  return works(`${permission(said)}; ${doer(said, 'fs/write_text_file')}`);
}

export async function reject(context) {
  const path = context.place.project.path('rejected.txt');
  context.editor.answerWith('reject');
  try {
    const said = await turn(context, `Write another note. [[write ${path}]]`);
    if (!asked(said)) return lacks('permission is not asked for');
    if (context.place.project.read('rejected.txt') !== undefined) return differs('the file is there');
    const goesOn = said.agent.includes(afterToolText) ? 'the model continues' : 'the turn ends';
    return works(`${goesOn}, stop reason ${said.stopReason}`);
  } finally {
    context.editor.answerWith('allow');
  }
}

export async function read(context) {
  const said = await turn(context, `Read this. [[read ${context.place.project.path('README.md')}]]`);
  if (!said.agent.includes(afterToolText)) return differs('the model does not go on');
  if (!said.toolCalls.some(({ status }) => status === 'completed'))
    return differs('no tool call is completed');
  return works(`${permission(said)}; ${doer(said, 'fs/read_text_file')}`);
}

export async function shell(context) {
  const { place, session } = context;
  const command = `echo printed by the command && touch ${place.project.path('made.txt')}`;
  const said = await turn(context, `Run this. [[shell ${command}]]`);
  if (place.project.read('made.txt') === undefined) return differs('the command did not run');
  const output = outputShown({ ...session.conversation, entries: said.toolCalls });
  return works(`${permission(said)}; ${doer(said, 'terminal/create')}; ${output}`);
}

/** How the output of the command is shown to the user, in a conversation that has only its tool calls. */
function outputShown(conversation) {
  // In a title or an input, the rest of the command follows the words.
  const lines = renderText(conversation)
    .split('\n')
    .filter((line) => /printed by the command(?! &&)/.test(line));
  if (lines.length === 0) return 'no output is shown';
  const isText = lines.some((line) => line.trim() === 'printed by the command');
  return isText ? 'the output is shown' : 'the output is shown as data';
}

export async function plan(context) {
  const said = await turn(context, 'Make a plan. [[plan]]');
  const [known] = context.session.conversation.plans;
  if (known) {
    const { length } = known.entries ?? [];
    return length === 2 ? works() : differs(`a plan of the type ${known.type} with ${length} entries`);
  }
  if (said.agent.includes(afterToolText)) return lacks('its plan is a tool call only');
  return lacks('it has no tool for plans here');
}

/** A failed turn: the reason that the agent gives must be in the error, in the transcript and in the activity. */
export async function modelError(context) {
  const { editor, session } = context;
  const from = editor.messages.length;
  try {
    const said = await turn(context, 'Fail. [[error]]');
    if (said.stopReason === 'error') return fault('the prompt resolves, although the turn failed');
    const words = said.agent.includes(errorText) ? 'and the reason as a text' : 'without the reason';
    return works(`${said.stopReason}, ${words}`);
  } catch (error) {
    if (error.rpcCode === undefined) throw error;
    const { activity, entries } = session.conversation;
    const last = entries.at(-1);
    if (last?.kind !== 'turnFailure' || last.cause !== 'failed' || last.code !== error.rpcCode) {
      return fault('the transcript does not end with the failure');
    }
    const answers = editor.messages.slice(from).filter(({ direction }) => direction === 'in');
    if (!JSON.stringify(answers).includes(errorText))
      return works(`error ${error.rpcCode}, without the message of the model`);
    const shown = [error.message, last.reason, activity.error?.message ?? ''];
    if (!shown.every((text) => text.includes(errorText))) {
      return fault(`the reason of the failed turn is not shown: ${JSON.stringify(shown)}`);
    }
    if (last.reason.startsWith('{')) return fault('the reason of the failed turn is shown as data');
    return works(`error ${error.rpcCode}, with the reason`);
  }
}

/** Prompts, and resolves to the turn when the agent is speaking. Throws the outcome if the turn ends before. */
export async function speaking({ session, watched }, prompt) {
  const running = watch(session.prompt(prompt), watched);
  await Promise.race([until(session, streaming, 60_000), running.settled]);
  if (running.ended) throw earlyEnd(running);
  return running;
}

export function earlyEnd({ ended: { error, value } }) {
  return error ? outcomeOf(error) : differs(`the turn ends at once, stop reason ${value.stopReason}`);
}

const streaming = ({ entries }) => {
  const last = entries.at(-1);
  return last?.kind === 'message' && last.role === 'agent' && textOf(last).includes('slow 2.');
};

export async function cancelStreaming(context) {
  const running = await speaking(context, 'Take your time. [[slow]]');
  await context.session.cancel();
  await within(running.settled, 20_000);
  return cancelled(running);
}

const commandSeconds = 6;

/**
 * Whether a cancel stops a command that runs: it makes a file at its end, which must not appear. The cancel comes a second
 * after the start, as that of a user: some agents stop a command only in its first moments.
 */
export async function cancelCommand(context) {
  const { place, version, watched } = context;
  const [begun, late] = ['begun', 'late'].map((name) => place.project.path(`${name}-${version}.txt`));
  context.session = await openSession(context);
  const command = `touch ${begun} && sleep ${commandSeconds} && touch ${late}`;
  const running = watch(context.session.prompt(`Run this. [[shell ${command}]]`), watched);
  await Promise.race([untilThere(begun, 60_000), running.settled]);
  if (running.ended) return earlyEnd(running);
  await sleep(1000);
  await context.session.cancel();
  await untilThere(late, (commandSeconds + 1) * 1000);
  if (existsSync(late)) return differs('the command goes on after the cancel');
  await within(running.settled, 20_000);
  return cancelled(running);
}

export async function cancelPermission({ session, editor, place, watched }) {
  const path = place.project.path('held.txt');
  editor.answerWith('hold');
  try {
    const asking = editor.nextHeld();
    const running = watch(session.prompt(`Write a third note. [[write ${path}]]`), watched);
    // Longer than the slowest answer: an agent may send that of an earlier prompt first.
    const signal = await within(Promise.race([asking, running.settled]), 90_000);
    if (running.ended?.error) return outcomeOf(running.ended.error);
    if (running.ended) return lacks('permission is not asked for');
    await session.cancel();
    if (!signal.addEventListener) {
      await within(running.settled, 20_000);
      return differs('permission is not asked for, and the turn goes on');
    }
    if (!signal.aborted) return fault('the permission request was not withdrawn');
    await within(running.settled, 20_000);
    if (place.project.read('held.txt') !== undefined) return differs('the file is there');
    return cancelled(running);
  } finally {
    editor.answerWith('allow');
  }
}

function cancelled({ ended }) {
  if (!ended) return differs('the prompt is never answered');
  if (ended.error) return refuses(`error ${ended.error.rpcCode ?? ended.error.name}`);
  return works(ended.value.stopReason === 'cancelled' ? '' : `stop reason ${ended.value.stopReason}`);
}

export async function afterCancel(context) {
  const said = await turn(context, 'Go on. [[text]]');
  return said.agent.endsWith(answerText) ? works() : differs('the answer is not what the model said');
}

/** Two prompts in one session: which of them ends by itself, and how both end when the turn is cancelled. */
export async function twoPrompts(context) {
  const { watched } = context;
  const session = await openSession(context);
  const first = await speaking({ session, watched }, 'Take your time. [[slow]]');
  const second = watch(session.prompt('And greet me. [[text]]'), watched);
  await within(Promise.all([first.settled, second.settled]), 5_000);
  const early = [first.ended, second.ended];
  await session.cancel();
  await within(Promise.all([first.settled, second.settled]), 10_000);
  const say = (name, before, { ended }) => {
    if (!ended) return `${name} never ends`;
    const how = ended.error ? `error ${ended.error.rpcCode ?? ended.error.name}` : ended.value.stopReason;
    return before ? `${name} ends at once (${how})` : `${name} ends after the cancel (${how})`;
  };
  const note = `${say('the first', early[0], first)}, ${say('the second', early[1], second)}`;
  if (!first.ended || !second.ended) return differs(note);
  // The session must be idle after the step.
  context.session = session;
  return works(note);
}

function permission(said) {
  return asked(said) ? 'asks' : 'does not ask';
}

function doer({ called }, method) {
  return called.includes(method) ? 'done by the client' : 'done by the agent';
}
