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

/**
 * How a replayed conversation differs from the live one. The sentences contain no ids, numbers or times, so that each run
 * of an agent gives the same ones. `[]` if the conversations agree.
 */
export function replayDifferences(live, replayed) {
  return [
    ...['user', 'agent', 'thought'].flatMap((role) => wordsDifference(role, live, replayed)),
    ...toolCallDifferences(toolCalls(live), toolCalls(replayed)),
    ...orderDifference(live, replayed),
    ...planDifference(live, replayed),
  ];
}

const names = { user: 'user messages', agent: 'agent messages', thought: 'thoughts' };

function wordsDifference(role, live, replayed) {
  const [before, after] = [live, replayed].map(({ entries }) =>
    entries.filter((entry) => entry.kind === 'message' && entry.role === role).map(textOf),
  );
  if (before.join('') === after.join('')) {
    return before.length === after.length ? [] : [`${names[role]} are divided in a different way`];
  }
  if (after.length === 0) return [`no ${names[role]}`];
  const { missing, added } = inOrder(before, after.join(''));
  if (missing === before.length) return [`different ${names[role]}`];
  return [
    ...(missing > 0 ? [`some ${names[role]} differ`] : []),
    ...(added ? [`additional text in ${names[role]}`] : []),
  ];
}

/** How many of the texts are not in `whole` in their order, and whether it contains anything else. */
function inOrder(texts, whole) {
  let at = 0;
  let missing = 0;
  let added = false;
  for (const text of texts) {
    const found = whole.indexOf(text, at);
    if (found === -1) {
      missing++;
      continue;
    }
    added ||= found > at;
    at = found + text.length;
  }
  return { missing, added: added || at < whole.length };
}

function toolCalls({ entries }) {
  return new Map(entries.filter(({ kind }) => kind === 'toolCall').map((entry) => [entry.toolCallId, entry]));
}

/** The fields of a tool call that are compared, and their names in the plural. */
const fields = {
  title: 'titles',
  toolKind: 'kinds',
  name: 'names',
  content: 'content',
  locations: 'locations',
  rawInput: 'inputs',
  rawOutput: 'outputs',
};

function toolCallDifferences(live, replayed) {
  if (live.size > 0 && replayed.size === 0) return ['no tool calls'];
  const shared = [...live.keys()].filter((id) => replayed.has(id));
  if (live.size > 0 && shared.length === 0) return ['tool calls with different ids'];
  const sentences = new Set();
  for (const [id, { status }] of live) {
    const again = replayed.get(id)?.status;
    if (again === undefined) sentences.add(`no ${status} tool calls`);
    else if (again !== status) sentences.add(`${status} tool calls as ${again}`);
  }
  const changed = Object.keys(fields).filter((field) =>
    shared.some((id) => stable(live.get(id)[field]) !== stable(replayed.get(id)[field])),
  );
  if (changed.length > 0) {
    sentences.add(`tool calls with different ${changed.map((field) => fields[field]).join(', ')}`);
  }
  if ([...replayed.keys()].some((id) => !live.has(id))) {
    sentences.add('additional tool calls');
  }
  return [...sentences].sort();
}

/** Identifies an entry in both conversations. Other kinds of entries are not part of a replay. */
const identities = {
  message: (entry) => [`${entry.role}:${textOf(entry)}`],
  toolCall: ({ toolCallId }) => [toolCallId],
};

/** Whether the entries that are in both conversations have the same order. Entries that occur twice are left out. */
function orderDifference(live, replayed) {
  const [before, after] = [live, replayed].map(({ entries }) =>
    entries.flatMap((entry) => identities[entry.kind]?.(entry) ?? []),
  );
  const once = (list, item) => list.indexOf(item) === list.lastIndexOf(item);
  const shared = new Set(
    before.filter((item) => after.includes(item) && once(before, item) && once(after, item)),
  );
  const [first, second] = [before, after].map((list) => list.filter((item) => shared.has(item)));
  return stable(first) === stable(second) ? [] : ['another order'];
}

function planDifference(live, replayed) {
  if (stable(live.plans) === stable(replayed.plans)) return [];
  return [replayed.plans.length === 0 ? 'no plans' : 'plans with different content'];
}

/** JSON with sorted keys. */
function stable(value) {
  return JSON.stringify(value ?? null, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
