import {
  changedEntries,
  emptyConversation,
  renderEntryMarkdown,
  renderMarkdown,
} from 'acp-client-sdk/conversation';

let drawn = emptyConversation('');
/** The lines of the title with the plan, of each entry by its key, and of the notes. */
let blocks = new Map();

/** Without the entities and joiners that keep HTML from acting: a buffer shows the Markdown itself, and users copy it. */
const textOf = (markdown) => markdown.replaceAll('&lt;', '<').replaceAll('\u2060', '');
const linesOf = (markdown) => [...textOf(markdown).trimEnd().split('\n'), ''];

/** The title and the plans. How a turn ended is where it ended. */
function titleLines(conversation) {
  const activity = { state: conversation.activity.state, stopReason: null };
  return linesOf(renderMarkdown({ ...conversation, activity, entries: [] }));
}

/** Without the code of a failed turn, which is in the log. */
function entryLines(conversation, entry) {
  const shown = entry.kind === 'turnFailure' ? { ...entry, code: null } : entry;
  return linesOf(renderEntryMarkdown(conversation, shown));
}

/** The buffer is empty again. */
export function forgetLines() {
  blocks = new Map();
}

/**
 * The lines to replace in the buffer, in this order, and how many lines it has before. The first line is line 0. Each
 * change counts the lines after the changes before it.
 *
 * @param notes - Texts of the editor after an entry, by its key. Absent: there are none.
 * @param problem - A text of the editor at the end, if there is one.
 */
export function changedLines(conversation, notes, problem) {
  const changed = new Set(changedEntries(drawn, conversation));
  const next = new Map([['', titleLines(conversation)]]);
  for (const entry of conversation.entries) {
    const lines = changed.has(entry) ? undefined : blocks.get(entry.key);
    next.set(entry.key, lines ?? entryLines(conversation, entry));
    const note = notes?.get(entry.key);
    if (note) next.set(`note of ${entry.key}`, [`*${note}*`, '']);
  }
  if (problem) next.set('problem', ['## Problem', '', ...linesOf(problem)]);
  const changes = [];
  let count = 1; // a buffer has at least one line, which stays empty
  let first = 0;
  for (const [key, lines] of blocks) {
    count += lines.length;
    if (next.has(key)) first += lines.length;
    else changes.push({ first, removed: lines.length, lines: [] });
  }
  first = 0;
  for (const [key, lines] of next) {
    const earlier = blocks.get(key) ?? [];
    let same = 0;
    while (same < earlier.length && earlier[same] === lines[same]) same++;
    if (same < earlier.length || same < lines.length)
      changes.push({ first: first + same, removed: earlier.length - same, lines: lines.slice(same) });
    first += lines.length;
  }
  drawn = conversation;
  blocks = next;
  return { count, changes };
}
