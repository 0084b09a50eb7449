import { textOf } from '../../dist/conversation.js';

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
