import { joinedText } from '../model/content.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  MessageEntry,
  SessionMessageEntry,
  ToolCallEntry,
} from '../model/conversation.ts';
import { equal } from './equal.ts';
import { currentTerminal } from './saved.ts';

/** The text blocks of a message, joined without a separator. Other blocks, such as pictures, are left out. */
export function textOf(entry: MessageEntry | SessionMessageEntry): string {
  return joinedText(entry.content);
}

/**
 * Returns the tool call with this id, the newest one if an agent has given several the same id. Searches all entries.
 *
 * @example
 * ```ts
 * const title = toolCall(conversation, 'call-1')?.title;
 * ```
 */
export function findToolCall(conversation: Conversation, toolCallId: string): ToolCallEntry | undefined {
  return conversation.entries.findLast(
    (entry): entry is ToolCallEntry => entry.kind === 'toolCall' && entry.toolCallId === toolCallId,
  );
}

/**
 * The files that a tool call names, each once: the paths of its diffs, the old paths of files that it moves or copies,
 * and its locations, in this order. They are what the agent says: absolute by the protocol, and in fact any text. Empty
 * if it names none, which does not mean that it uses none.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls
 */
export function pathsOf({ content, locations }: Pick<ToolCallEntry, 'content' | 'locations'>): string[] {
  const changes = content.flatMap((item) => (item.type === 'diff' ? item.changes : []));
  const named = [
    ...changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath])),
    ...locations.map(({ path }) => path),
  ];
  return [...new Set(named)];
}

/** The terminal with this id. An agent can use `__proto__` as an id, and the conversation can be of an earlier version. */
export function findTerminal(
  { terminals }: Pick<Conversation, 'terminals'>,
  terminalId: string,
): ConversationTerminal | undefined {
  const terminal = Object.hasOwn(terminals, terminalId) ? terminals[terminalId] : undefined;
  return terminal && currentTerminal(terminal);
}

/**
 * Returns the entries that are new or changed, in the order of the transcript. Without a conversation before, these are
 * all entries. A tool call also counts as changed if a
 * terminal or a subagent changed that its content refers to. Compares entries and terminals by identity. Entries that
 * were removed are not listed.
 *
 * @example
 * ```ts
 * let drawn: Conversation | undefined;
 * store.subscribe(() => {
 *   const conversation = store.getSnapshot();
 *   for (const entry of changedEntries(drawn, conversation)) draw(entry);
 *   drawn = conversation;
 * });
 * ```
 *
 * @param previous - What is drawn. `undefined` or `null`: nothing yet.
 */
export function changedEntries(
  previous: Conversation | undefined | null,
  next: Conversation,
): ConversationEntry[] {
  if (!previous) return [...next.entries];
  const before = previous.entries;
  const after = next.entries;
  const changed: ConversationEntry[] = [];
  const references = changedReferences(previous, next);
  if (before === after && references.size === 0) return changed;
  // By index: array methods take several times as long on a frozen array.
  for (let index = 0; index < after.length; index++) {
    const entry = after[index];
    if (entry && (entry !== before[index] || refersTo(entry, references))) changed.push(entry);
  }
  return changed;
}

/** The terminals and the subagents that changed, each under a name of its own. */
function changedReferences(previous: Conversation, next: Conversation): ReadonlySet<string> {
  const changed = new Set<string>();
  if (previous.terminals !== next.terminals) {
    const before = new Map(Object.entries(previous.terminals));
    for (const [id, terminal] of Object.entries(next.terminals)) {
      if (before.get(id) !== terminal) changed.add(`terminal:${id}`);
    }
  }
  if (previous.subagents !== next.subagents) {
    const before = new Map(previous.subagents?.map((subagent) => [subagent.sessionId, subagent]));
    for (const subagent of next.subagents ?? []) {
      // A mirror makes new objects for all subagents when one of them changes.
      if (!equal(before.get(subagent.sessionId), subagent)) changed.add(`session:${subagent.sessionId}`);
    }
  }
  return changed;
}

function refersTo(entry: ConversationEntry, references: ReadonlySet<string>): boolean {
  if (references.size === 0 || entry.kind !== 'toolCall') return false;
  return entry.content.some(
    (item) =>
      (item.type === 'terminal' && references.has(`terminal:${item.terminalId}`)) ||
      (item.type === 'session' && references.has(`session:${item.sessionId}`)),
  );
}
