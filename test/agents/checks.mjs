import { isToolCallFinished, textOf } from '../../dist/conversation.js';

/** What is still open in a session that should be idle. */
export function restProblems(session) {
  const { activity, entries } = session.conversation;
  const background = new Set(
    (activity.background ?? []).filter(({ type }) => type === 'tool_call').map((work) => work.toolCallId),
  );
  const problems = activity.state === 'idle' ? [] : [`the session is ${activity.state}`];
  for (const entry of entries) {
    if (entry.kind !== 'toolCall') continue;
    if (entry.permission) problems.push(`the permission for ${entry.title} is still asked for`);
    // What a replay leaves unfinished stays as it was sent. The comparison with the live session lists it.
    const stands = entry.origin === 'replay' || background.has(entry.toolCallId);
    if (!isToolCallFinished(entry.status) && !stands) {
      problems.push(`the tool call ${entry.title} is still ${entry.status}`);
    }
  }
  return problems;
}

/** The agent's updates of a session in their order, after the first `from` messages. */
export function updatesOf(messages, sessionId, from = 0) {
  return messages
    .slice(from)
    .filter(
      ({ direction, message }) =>
        direction === 'in' && message.method === 'session/update' && message.params?.sessionId === sessionId,
    )
    .map(({ message }) => message.params.update);
}

const roleOf = { user_message: 'user', agent_message: 'agent', agent_thought: 'thought' };

/**
 * What the agent sent and the conversation does not have. Derived from the raw messages, independently of the fold.
 *
 * @param roles - The roles whose messages the agent sends: that of the user too, where it replays a history.
 * @returns A text for each problem; `[]` if nothing was lost.
 */
export function lostIn(conversation, updates, roles) {
  const said = ledger(updates);
  const problems = [];
  for (const role of roles) {
    const shown = conversation.entries
      .filter((entry) => entry.kind === 'message' && entry.role === role)
      .map(textOf)
      .join('');
    const expected = said.messages[role].map(({ text }) => text).join('');
    if (shown !== expected) {
      problems.push(`the ${role}'s words differ: ${JSON.stringify(differenceOf(expected, shown))}`);
    }
  }
  for (const [toolCallId, status] of said.toolCalls) {
    const entry = conversation.entries.find((candidate) => candidate.toolCallId === toolCallId);
    if (!entry) problems.push(`the tool call ${toolCallId} is missing`);
    else if (status !== undefined && isToolCallFinished(status) && entry.status !== status) {
      problems.push(`the tool call ${toolCallId} ended ${status} and is shown as ${entry.status}`);
    }
  }
  return problems;
}

function ledger(updates) {
  const messages = { user: [], agent: [], thought: [] };
  const toolCalls = new Map();
  for (const update of updates) {
    const tag = update.sessionUpdate;
    if (tag === 'tool_call' || tag === 'tool_call_update') {
      toolCalls.set(update.toolCallId, update.status ?? toolCalls.get(update.toolCallId));
    }
    const role = roleOf[tag.replace(/_chunk$/, '')];
    if (!role) continue;
    const list = messages[role];
    const known = list.find(({ id }) => id !== undefined && id === update.messageId);
    const message = known ?? { id: update.messageId, text: '' };
    if (!known) list.push(message);
    if (tag.endsWith('_chunk')) message.text += textOfBlock(update.content);
    else if (update.content !== undefined) message.text = (update.content ?? []).map(textOfBlock).join('');
  }
  return { messages, toolCalls };
}

const textOfBlock = (block) => (block?.type === 'text' ? block.text : '');

function differenceOf(expected, shown) {
  let at = 0;
  while (at < expected.length && expected[at] === shown[at]) at++;
  return { at, expected: expected.slice(at, at + 60), shown: shown.slice(at, at + 60) };
}
