import { equal } from '../conversation/equal.ts';
import { isSame, placeNear, placesById, terminalIdsOf } from '../conversation/history.ts';
import { findTerminal, textOf } from '../conversation/select.ts';
import { showing } from '../conversation/terminals.ts';
import type { Conversation, ConversationEntry, ConversationTerminal } from '../model/conversation.ts';
import { endedStatuses } from '../model/tool-call-status.ts';

/**
 * Two recordings of one session as one conversation, without doubles: the newer one, with what only the older one has.
 * Returns `newer` itself if the older one has nothing that it lacks.
 *
 * An entry of both has the same id of the agent, or is the same recorded entry, or says the same where one of the two is
 * a replay. What the user says twice in live sessions stays twice. What only the older one has stands behind the entry
 * that it followed there.
 */
export function mergeConversations(older: Conversation, newer: Conversation): Conversation {
  const kept = new Map<string, string>();
  const entries = mergedEntries(older.entries, newer.entries, kept);
  const own = [...kept].flatMap(([terminalId, id]) => {
    const terminal = findTerminal(older, id);
    return terminal ? [[terminalId, { ...terminal, terminalId }] as const] : [];
  });
  const terminals = mergedTerminals({ ...older.terminals, ...Object.fromEntries(own) }, newer.terminals);
  const fields = {
    ...(newer.info.title === null &&
      older.info.title !== null && { info: { ...newer.info, title: older.info.title } }),
    ...(newer.plans.length === 0 && older.plans.length > 0 && { plans: older.plans }),
    ...(newer.usage === null && older.usage !== null && { usage: older.usage }),
    ...(!newer.subagents?.length && older.subagents?.length && { subagents: older.subagents }),
  };
  const isSuperset =
    entries === newer.entries && terminals === newer.terminals && Object.keys(fields).length === 0;
  return isSuperset ? newer : { ...newer, ...fields, entries, terminals };
}

type Entries = readonly ConversationEntry[];

/** @param kept - Gets the new ids of terminals that have the id of their call, where the newer one has another such call. */
function mergedEntries(older: Entries, newer: Entries, kept: Map<string, string>): Entries {
  if (older.length === 0) return newer;
  const pairs = matches(older, newer);
  /** What only the older one has, by the index in the newer one behind which it stands. */
  const missing = new Map<number, ConversationEntry[]>();
  // What is before the first entry of both stands before it. Without one of both, the newer one continues the older one.
  let anchor = firstPartner(pairs, newer.length) - 1;
  let isChanged = false;
  const whole = new Map<number, ConversationEntry>();
  for (const [index, entry] of older.entries()) {
    const partner = pairs.get(index);
    if (partner === undefined) {
      const behind = missing.get(anchor) ?? [];
      missing.set(anchor, behind);
      behind.push(entry);
      isChanged = true;
      continue;
    }
    anchor = Math.max(anchor, partner);
    const own = newer[partner];
    const better = own && wholeOf(entry, own);
    if (better && better !== own) {
      whole.set(partner, better);
      isChanged = true;
    }
  }
  if (!isChanged) return newer;
  const keys = new Set(newer.map(({ key }) => key));
  const ids = new Set(newer.map((entry) => (entry.kind === 'toolCall' ? entry.toolCallId : '')));
  const withFreeKey = (entry: ConversationEntry) => {
    const key = freeKey(keys, entry.key);
    keys.add(key);
    const free = key === entry.key ? entry : { ...entry, key };
    if (free.kind !== 'toolCall' || !ids.has(free.toolCallId)) return free;
    // The terminal of an earlier call has the key of its entry as its id.
    const own = [entry.key, free.toolCallId].find((id) => terminalIdsOf(free).includes(id));
    if (own === undefined) return free;
    kept.set(key, own);
    return showing(free, own, key);
  };
  const merged = (missing.get(-1) ?? []).map(withFreeKey);
  for (const [index, entry] of newer.entries()) {
    merged.push(whole.get(index) ?? entry);
    for (const added of missing.get(index) ?? []) merged.push(withFreeKey(added));
  }
  return merged;
}

/** The first index in the newer one that both have. 0 if they have nothing in common. */
function firstPartner(pairs: ReadonlyMap<number, number>, length: number): number {
  let first = pairs.size > 0 ? length : 0;
  for (const partner of pairs.values()) first = Math.min(first, partner);
  return first;
}

/** The entries of both: the index in the newer one by the index in the older one. */
function matches(older: Entries, newer: Entries): ReadonlyMap<number, number> {
  const placeOf = placesById(older);
  const pairs = new Map<number, number>();
  let next = 0;
  for (const [index, entry] of newer.entries()) {
    const place = placeOf(entry, next);
    const isOther = place !== undefined && isAnotherCall(older[place], entry);
    const isOpen = (candidate: ConversationEntry, at: number) =>
      !pairs.has(at) && isRecordedTwice(candidate, entry);
    const known = place === undefined || isOther ? placeNear(older, next, isOpen) : place;
    if (known === undefined || pairs.has(known)) continue;
    pairs.set(known, index);
    next = Math.max(next, known + 1);
  }
  return pairs;
}

/** Whether two live recordings have two calls that have ended, under an id that the agent gave twice. */
function isAnotherCall(older: ConversationEntry | undefined, newer: ConversationEntry): boolean {
  if (older?.kind !== 'toolCall' || newer.kind !== 'toolCall') return false;
  const areWhole = [older, newer].every(
    ({ origin, status }) => origin !== 'replay' && endedStatuses.has(status),
  );
  return areWhole && !equal([older.title, older.rawInput], [newer.title, newer.rawInput]);
}

function isRecordedTwice(older: ConversationEntry, newer: ConversationEntry): boolean {
  if (older === newer) return true;
  // Two live recordings have the same entry only under its id.
  if (older.origin !== 'replay' && newer.origin !== 'replay') return false;
  if (older.kind === newer.kind && (older.kind === 'turnFailure' || older.kind === 'unknown'))
    return equal({ ...older, key: '', origin: '' }, { ...newer, key: '', origin: '' });
  const [shown, replayed] = newer.origin === 'replay' ? [older, newer] : [newer, older];
  return isSame(shown, replayed);
}

/** The newer of two versions of an entry, with what an agent leaves out of a replay. */
function wholeOf(older: ConversationEntry, newer: ConversationEntry): ConversationEntry {
  if (older.kind === 'message' && newer.kind === 'message') {
    const [known, text] = [textOf(older), textOf(newer)];
    // The newer one may be cut off, or lack images.
    const isMore =
      known.length > text.length ? known.startsWith(text) : lacksBlocks(older, newer, known === text);
    return isMore ? { ...newer, content: older.content } : newer;
  }
  if (older.kind !== 'toolCall' || newer.kind !== 'toolCall') return newer;
  const added = {
    ...(newer.content.length === 0 && older.content.length > 0 && { content: older.content }),
    ...(newer.locations.length === 0 && older.locations.length > 0 && { locations: older.locations }),
    ...(!('rawInput' in newer) && 'rawInput' in older && { rawInput: older.rawInput }),
    ...(!('rawOutput' in newer) && 'rawOutput' in older && { rawOutput: older.rawOutput }),
    ...(newer.name === null && older.name !== null && { name: older.name }),
    ...(newer.title === null && older.title !== null && { title: older.title }),
    ...(!endedStatuses.has(newer.status) && endedStatuses.has(older.status) && { status: older.status }),
  };
  return Object.keys(added).length > 0 ? { ...newer, ...added } : newer;
}

type Message = Extract<ConversationEntry, { kind: 'message' }>;

function lacksBlocks(older: Message, newer: Message, isSameText: boolean): boolean {
  const others = ({ content }: Message) => content.filter(({ type }) => type !== 'text').length;
  return isSameText && others(older) > others(newer);
}

type Terminals = Conversation['terminals'];

function mergedTerminals(older: Terminals, newer: Terminals): Terminals {
  const added = Object.entries(older).filter(([id, terminal]) => {
    const own = Object.hasOwn(newer, id) ? newer[id] : undefined;
    return own === undefined || (lengthOf(own) === 0 && lengthOf(terminal) > 0);
  });
  // Defines a key `__proto__` like any other.
  return added.length === 0 ? newer : Object.fromEntries([...Object.entries(newer), ...added]);
}

function lengthOf({ output, droppedBytes }: ConversationTerminal): number {
  return output.length + droppedBytes;
}

function freeKey(keys: ReadonlySet<string>, key: string): string {
  let free = key;
  for (let count = 2; keys.has(free); count++) free = `${key}~${count}`;
  return free;
}
