import { textOf } from '../../../dist/conversation.js';
import { openSession } from '../editor.mjs';
import { answerText } from '../mock-model/directives.mjs';
import { differs, fault, lacks, outcomeOf, works } from './outcome.mjs';
import { speaking } from './turns.mjs';
import { watch, within } from './waiting.mjs';

/** The model answers to the directive, so that its answer shows that it has got the message. */
const message = 'And then greet me. [[text]]';

/** A message that is steered into a running turn: it reaches the model, and is in the transcript once. */
export async function steer(context) {
  if (!context.editor.connection.supports('session.steer')) return lacks();
  context.session = await openSession(context);
  return steerTurn(context);
}

/**
 * The same in a session in which a prompt had to wait for another one. Some versions of an agent never answer the prompt
 * of a turn that is steered then.
 *
 * @see https://github.com/agentclientprotocol/claude-agent-acp/issues/1039
 */
export async function steerAfterQueue(context) {
  if (!context.editor.connection.supports('session.steer')) return lacks();
  const session = await openSession(context);
  context.session = session;
  const first = await speaking(context, 'Take a while. [[steady]]');
  const second = watch(session.prompt('Greet me. [[text]]'), context.watched);
  await within(Promise.all([first.settled, second.settled]), 40_000);
  if (!first.ended || !second.ended) return differs('two prompts at once do not end');
  return steerTurn(context);
}

async function steerTurn(context) {
  const { session } = context;
  const before = session.conversation.entries.length;
  const running = await speaking(context, 'Take a while again. [[steady]]');
  const { outcome } = await session.steer(message);
  const waits = (session.conversation.pendingMessages ?? []).length === 1;
  await within(running.settled, 40_000);
  if (!running.ended) {
    await session.cancel();
    await within(running.settled, 20_000);
    return differs(`the prompt is never answered, and ${running.ended ? 'a' : 'no'} cancel ends it`);
  }
  if (running.ended.error) return outcomeOf(running.ended.error);
  const { entries, pendingMessages } = session.conversation;
  const said = entries.slice(before);
  const shown = said.filter((entry) => entry.kind === 'message' && textOf(entry) === message);
  if (shown.length !== 1) return fault(`the message is in the transcript ${shown.length} times`);
  if (pendingMessages) return fault('the message still waits after the turn');
  const answers = said.filter((entry) => entry.kind === 'message' && entry.role === 'agent');
  if (!answers.some((entry) => textOf(entry).endsWith(answerText)))
    return differs('the model does not get it');
  const report = shown[0].messageId === null ? 'the agent does not report it' : 'the agent reports it';
  return works(`${outcome}${waits ? ', waits until it is reported' : ''}; ${report}`);
}
