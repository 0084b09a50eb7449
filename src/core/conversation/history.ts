import type { HistoryAdded, TurnFailed } from '../model/client-update.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { endedStatuses } from '../model/tool-call.ts';
import type { Draft } from './draft.ts';
import { idOf, keyOf, terminalIdsOf } from './entry-index.ts';
import { freeKey } from './messages.ts';
import { findTerminal, textOf } from './select.ts';
import { keepOutput } from './terminals.ts';
import { withJoinedTexts } from './text-blocks.ts';

type Entries = ReadonlySet<ConversationEntry>;

/** A turn that failed leaves an entry. */
export function turnFailed(draft: Draft, { cause, reason, code }: TurnFailed): void {
  const key = freeKey(draft, 'turnFailure');
  draft.append({ kind: 'turnFailure', key, cause, reason, code: code ?? null, origin: draft.origin });
}

/**
 * Adds the entries of a replay that the conversation does not have, each under a key that is free. Entries that an
 * earlier update of the same replay added make room for them.
 */
export function historyAdded(draft: Draft, { entries, terminals, replaces, completed }: HistoryAdded): void {
  if (replaces?.length) draft.removeKeys(new Set(replaces));
  const keys = new Map<string, number>();
  for (let index = 0; index < draft.entries.length; index++)
    keys.set(draft.entries.at(index)?.key ?? '', index);
  for (const entry of completed ?? []) {
    const index = keys.get(entry.key);
    if (index !== undefined) draft.replace(index, withJoinedTexts(entry));
  }
  for (const terminal of terminals ?? []) {
    keepOutput(draft, terminal.terminalId);
    draft.putTerminal(terminal);
  }
  for (const entry of entries) {
    const id = idOf(entry);
    // A tool call can have the id of an earlier one.
    const isKnown = id && id.space !== 'tool' && draft.entries.index.findId(id.space, id.id) !== undefined;
    if (isKnown) continue;
    const key = keys.has(entry.key) ? freeKey(draft, entry.key) : entry.key;
    keys.set(key, draft.append({ ...entry, key }));
  }
}

/**
 * The update that adds what is new in a replay. What the user said meanwhile stays behind it.
 *
 * @param before - The conversation before anything of this replay was added to it.
 * @param shown - The conversation now, which may have an earlier part of this replay.
 */
export function newHistory(before: Conversation, shown: Conversation, replayed: Conversation): HistoryAdded {
  return added(before, shown, replayed, ({ entries }, own) => [...entries, ...own]);
}

/**
 * The same at the end of a turn, for an agent that did not say where the history ends and the answer begins. The answer
 * follows the prompt that the agent repeats. It is all of it if there is neither a prompt nor something that the
 * conversation has.
 */
export function newTurn(before: Conversation, shown: Conversation, replayed: Conversation): HistoryAdded {
  return added(before, shown, replayed, ({ entries, isContinued }, own) => {
    const [prompt] = own;
    if (!prompt) return entries;
    const isAnswer = !isContinued && !entries.some(isPrompt);
    const place = isAnswer ? -1 : entries.findLastIndex((entry) => isSame(prompt, entry));
    if (place === -1 && !isAnswer) return [...entries, ...own];
    const answer = entries.slice(place + 1).map((entry) => ({ ...entry, origin: 'live' as const }));
    return [...entries.slice(0, Math.max(place, 0)), ...own, ...answer];
  });
}

/** @param order - Returns the new entries with those that are the client's own. */
function added(
  before: Conversation,
  shown: Conversation,
  replayed: Conversation,
  order: (
    found: ReturnType<typeof compared>,
    own: readonly ConversationEntry[],
  ) => readonly ConversationEntry[],
): HistoryAdded {
  const keys = new Set(before.entries.map(({ key }) => key));
  const interrupted = interruptedEntries(before.entries);
  const found = compared(before, replayed, interrupted);
  const completed = [...found.completed, ...takenBack(before, shown, interrupted, found.completed)];
  // A terminal that is named after its call belongs to the newest call with this id.
  const named = new Set(found.entries.map(replayKeyOf));
  const terminals = [...found.entries, ...completed]
    .flatMap(terminalIdsOf)
    .filter((terminalId) => named.has(keyOf('tool', terminalId)) || !findTerminal(before, terminalId))
    .flatMap((terminalId) => findTerminal(replayed, terminalId) ?? []);
  const since = shown.entries.filter(({ key }) => !keys.has(key));
  const own = found.entries.length > 0 ? since.filter(({ origin }) => origin !== 'replay') : [];
  const replaces = since
    .filter((entry) => entry.origin === 'replay' || own.includes(entry))
    .map(({ key }) => key);
  return { sessionUpdate: 'history_added', entries: order(found, own), terminals, replaces, completed };
}

/** Whether an entry is a message of the user. */
export function isPrompt(entry: ConversationEntry): boolean {
  return entry.kind === 'message' && entry.role === 'user';
}

/**
 * Compares a replay with a conversation. New are the entries behind the last one that both have. A replay may lack what
 * the conversation has, and may have other ids. Where the two have nothing in common, a replay with a prompt brings nothing:
 * it is not known where it would continue. What the agent says without one is no replay, and is new. `completed`: the
 * entries that were cut off, or that have no id, as they are in the replay, under the keys that the conversation has for
 * them.
 */
function compared(shown: Conversation, replayed: Conversation, interrupted: Entries) {
  if (shown.entries.length === 0) return { entries: replayed.entries, completed: [], isContinued: false };
  const completed: ConversationEntry[] = [];
  const placeOf = placesById(shown.entries);
  let next = 0;
  let lastKnown = -1;
  for (const [index, entry] of replayed.entries.entries()) {
    const known = placeOf(entry, next) ?? placeNear(shown.entries, next, (each) => isSame(each, entry));
    if (known === undefined) continue;
    // An entry is repeated once: the next one that says the same is another one.
    next = Math.max(next, known + 1);
    lastKnown = index;
    const seen = shown.entries[known];
    const whole = seen && completedBy(seen, entry, interrupted);
    if (whole) completed.push(whole);
  }
  // Prompts that the agent has not confirmed are no history: it may have them in other words.
  const isBegun = shown.entries.some(({ origin }) => origin !== 'local');
  const isOther = isBegun && lastKnown === -1 && replayed.entries.some(isPrompt);
  const entries = isOther ? [] : replayed.entries.slice(lastKnown + 1);
  return { entries, completed, isContinued: lastKnown !== -1 };
}

/**
 * The entries that an earlier part of the same replay completed, and that are not complete in what it has now: an agent
 * can report a status again.
 */
function takenBack(
  { entries }: Conversation,
  shown: Conversation,
  interrupted: Entries,
  completed: readonly ConversationEntry[],
): readonly ConversationEntry[] {
  const keys = new Set(completed.map(({ key }) => key));
  const now = new Map(shown.entries.map((entry) => [entry.key, entry]));
  return entries.filter((entry) => {
    const other = now.get(entry.key) ?? entry;
    const isOther = interrupted.has(entry) ? other !== entry : replayKeyOf(other) !== replayKeyOf(entry);
    return isOther && !keys.has(entry.key);
  });
}

/** The entries of the turns that were interrupted. */
function interruptedEntries(entries: readonly ConversationEntry[]): Entries {
  const interrupted = new Set<ConversationEntry>();
  let turn: ConversationEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'message' && entry.role === 'user') turn = [];
    else if (entry.kind === 'turnFailure' && entry.cause === 'interrupted') {
      for (const each of turn.splice(0)) interrupted.add(each);
    } else turn.push(entry);
  }
  return interrupted;
}

/**
 * An entry with what the replay has more of it: an id, and the rest if it was cut off. `undefined` if that is nothing. An id
 * that an entry has stays: its key has it, and later updates can be about it.
 */
function completedBy(shown: ConversationEntry, replayed: ConversationEntry, interrupted: Entries) {
  const isInterrupted = interrupted.has(shown);
  if (shown.kind === 'message' && replayed.kind === 'message') {
    const isCut = isInterrupted && textOf(replayed).trim().length > textOf(shown).trim().length;
    const messageId = shown.messageId ?? replayed.messageId;
    if (!isCut && messageId === shown.messageId) return undefined;
    return { ...shown, messageId, content: isCut ? replayed.content : shown.content };
  }
  if (!isInterrupted || shown.kind !== 'toolCall' || replayed.kind !== 'toolCall') return undefined;
  // The calls that were under way at the interruption are shown as cancelled.
  const isCut = shown.status === 'cancelled' && endedStatuses.has(replayed.status);
  const { key, toolCallId, origin } = shown;
  return isCut ? { ...replayed, key, toolCallId, origin } : undefined;
}

/** What identifies an entry in every replay. `undefined` if it has no id. */
export function replayKeyOf(entry: ConversationEntry): string | undefined {
  const known = idOf(entry);
  return known ? keyOf(known.space, known.id) : undefined;
}

/**
 * Finds the place of the entry with the same id, and gives each place once. Several tool calls can have one id: it is the
 * first place from `next` on.
 */
export function placesById(entries: readonly ConversationEntry[]) {
  const places = new Map<string | undefined, number[]>();
  for (const [index, entry] of entries.entries()) {
    const id = replayKeyOf(entry);
    if (id !== undefined && !places.get(id)?.push(index)) places.set(id, [index]);
  }
  return (entry: ConversationEntry, next: number): number | undefined => {
    const left = places.get(replayKeyOf(entry)) ?? [];
    return left.splice(0, Math.max(1, left.findIndex((place) => place >= next) + 1)).at(-1);
  };
}

/** How many entries are compared with a replayed entry, to find the one that it repeats. */
const maxLookAhead = 256;

/** The place of the first entry from `from` on that is the one that is looked for. */
export function placeNear(
  entries: readonly ConversationEntry[],
  from: number,
  isSought: (entry: ConversationEntry, index: number) => boolean,
): number | undefined {
  const place = entries.slice(from, from + maxLookAhead).findIndex((entry, at) => isSought(entry, from + at));
  return place === -1 ? undefined : from + place;
}

/** Whether two entries are the same by what they say. A message that was cut off is the beginning of the whole one. */
export function isSame(shown: ConversationEntry, replayed: ConversationEntry): boolean {
  if (shown.kind === 'toolCall' && replayed.kind === 'toolCall') {
    return shown.title === replayed.title && shown.toolKind === replayed.toolKind;
  }
  if (shown.kind !== 'message' || replayed.kind !== 'message' || shown.role !== replayed.role) return false;
  const [known, whole] = [textOf(shown).trim(), textOf(replayed).trim()];
  return known === whole || (known !== '' && whole.startsWith(known));
}
