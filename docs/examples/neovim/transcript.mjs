import {
  changedEntries,
  emptyConversation,
  renderEntryMarkdown,
  renderMarkdown,
} from 'acp-client-sdk/conversation';

let drawn = emptyConversation('');
/** The lines of the title with the plan, and of each entry, by its key. */
let blocks = new Map();

/** Without the entities and joiners that keep HTML from acting: a buffer shows the Markdown itself, and users copy it. */
const textOf = (markdown) => markdown.replaceAll('&lt;', '<').replaceAll('\u2060', '');
const linesOf = (markdown) => [...textOf(markdown).trimEnd().split('\n'), ''];

/** The buffer is empty again. */
export function forgetLines() {
  blocks = new Map();
}

/**
 * The lines to replace in the buffer, in this order, and how many lines it has before. The first line is line 0. Each
 * change counts the lines after the changes before it.
 */
export function changedLines(conversation, problem) {
  const changed = new Set(changedEntries(drawn, conversation));
  const title = linesOf(renderMarkdown({ ...conversation, entries: [] }));
  const next = new Map([['', title]]);
  for (const entry of conversation.entries) {
    const lines = changed.has(entry) ? undefined : blocks.get(entry.key);
    next.set(entry.key, lines ?? linesOf(renderEntryMarkdown(conversation, entry)));
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
