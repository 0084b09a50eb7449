import { terminalIdsOf } from '../../core/conversation/entry-index.ts';
import { equal } from '../../core/conversation/equal.ts';
import { findTerminal } from '../../core/conversation/select.ts';
import { showing } from '../../core/conversation/terminals.ts';
import type { Conversation, ConversationEntry, ConversationTerminal } from '../../core/model/conversation.ts';
import { matches, wholeOf } from './same-entry.ts';
import { isNewerThan, isSeenBy, type MergedRecord, type Source, type Written } from './written.ts';

/**
 * Two recordings of one session as one, without doubles: the newer one, with what only the older one has. Its conversation
 * is that of `newer` itself if the older one has nothing that it lacks. What only the older one has stands behind the
 * entry that it followed there.
 */
export function mergeWritten(older: Written, newer: Written): Written {
  const kept = new Map<string, string>();
  const { entries, sources } = mergedEntries(older, newer, kept);
  const [before, after] = [older.conversation, newer.conversation];
  const own = [...kept].flatMap(([terminalId, id]) => {
    const terminal = findTerminal(before, id);
    return terminal ? [[terminalId, { ...terminal, terminalId }] as const] : [];
  });
  const renamed = new Set(kept.values());
  const others = Object.entries(before.terminals).filter(([id]) => !renamed.has(id));
  const terminals = mergedTerminals([...others, ...own], after.terminals);
  const fields = {
    ...(after.info.title === null &&
      before.info.title !== null && { info: { ...after.info, title: before.info.title } }),
    ...(!newer.hadPlans && after.plans.length === 0 && before.plans.length > 0 && { plans: before.plans }),
    ...(after.usage === null && before.usage !== null && { usage: before.usage }),
    ...(!after.subagents?.length && before.subagents?.length && { subagents: before.subagents }),
    ...cursorsOf(before, after),
  };
  const isSuperset =
    entries === after.entries && terminals === after.terminals && Object.keys(fields).length === 0;
  return {
    conversation: isSuperset ? after : { ...after, ...fields, entries, terminals },
    sources,
    hadPlans: older.hadPlans || newer.hadPlans,
  };
}

/** The cursors of both, if the older one has some that the newer one lacks. */
function cursorsOf({ cursors: before = [] }: Conversation, { cursors: after = [] }: Conversation) {
  const known = new Set(after.map(({ cursorId }) => cursorId));
  const missing = before.filter(({ cursorId }) => !known.has(cursorId));
  return missing.length > 0 ? { cursors: [...missing, ...after] } : {};
}

type Entries = readonly ConversationEntry[];
type Sources = ReadonlyMap<string, Source>;

/** @param kept - Gets the new ids of terminals of the older one, where the newer one has another terminal with the id. */
function mergedEntries(
  older: Written,
  newer: Written,
  kept: Map<string, string>,
): { readonly entries: Entries; readonly sources: Sources } {
  const [before, after] = [older.conversation.entries, newer.conversation.entries];
  const pairs = matches(older, newer);
  const sources = new Map(newer.sources);
  /** What only the older one has, by the index in the newer one behind which it stands. */
  const missing = new Map<number, ConversationEntry[]>();
  // What is before the first entry of both stands before it. Without one of both, the newer one continues the older one.
  let anchor = firstPartner(pairs, after.length) - 1;
  const lastSeen = lastSeenIn(newer);
  let isChanged = false;
  const whole = new Map<number, ConversationEntry>();
  for (const [index, entry] of before.entries()) {
    const partner = pairs.get(index);
    const own = partner === undefined ? undefined : after[partner];
    if (partner === undefined || !own) {
      const source = older.sources.get(entry.key);
      if (source?.isFirst) anchor = Math.max(anchor, lastSeen(source.record));
      const behind = missing.get(anchor) ?? [];
      missing.set(anchor, behind);
      behind.push(entry);
      isChanged = true;
      continue;
    }
    anchor = Math.max(anchor, partner);
    const [first, taken] = [older.sources.get(entry.key), newer.sources.get(own.key)];
    if (!first || !taken) continue;
    const isOlderBetter = isNewerThan(first, taken);
    sources.set(own.key, {
      ...(isOlderBetter ? first : taken),
      origins: [...new Set([...first.origins, ...taken.origins])],
    });
    const better = isOlderBetter ? wholeOf(own, { ...entry, key: own.key }) : wholeOf(entry, own);
    if (!equal(better, own)) {
      whole.set(partner, better);
      isChanged = true;
    }
  }
  if (!isChanged) return { entries: after, sources };
  const withFreeKey = freeKeys(after, kept);
  const merged: ConversationEntry[] = [];
  const add = (entries: Entries = []) => {
    for (const entry of entries) {
      const free = withFreeKey(entry);
      const source = older.sources.get(entry.key);
      if (source) sources.set(free.key, source);
      merged.push(free);
    }
  };
  add(missing.get(-1));
  for (const [index, entry] of after.entries()) {
    merged.push(whole.get(index) ?? entry);
    add(missing.get(index));
  }
  return { entries: merged, sources };
}

/** The index of the last entry that was there already when a record began: what it wrote first stands behind it. */
function lastSeenIn({ conversation: { entries }, sources }: Written): (record: MergedRecord) => number {
  const known = new Map<MergedRecord, number>();
  return (record) => {
    const before = known.get(record);
    if (before !== undefined) return before;
    const isSeen = ({ key }: ConversationEntry) => {
      const source = sources.get(key);
      return source !== undefined && isSeenBy(record, source);
    };
    const last = record.seen.size === 0 ? -1 : entries.findLastIndex(isSeen);
    known.set(record, last);
    return last;
  };
}

/** The first index in the newer one that both have. 0 if they have nothing in common. */
function firstPartner(pairs: ReadonlyMap<number, number>, length: number): number {
  let first = pairs.size > 0 ? length : 0;
  for (const partner of pairs.values()) first = Math.min(first, partner);
  return first;
}

/** Gives entries that are added keys, and their terminals ids, that no other entry has. */
function freeKeys(
  entries: Entries,
  kept: Map<string, string>,
): (entry: ConversationEntry) => ConversationEntry {
  const keys = new Set(entries.map(({ key }) => key));
  const ids = new Set(entries.map((entry) => (entry.kind === 'toolCall' ? entry.toolCallId : '')));
  const shown = new Set(entries.flatMap(terminalIdsOf));
  const counts = new Map<string, number>();
  return (entry) => {
    let key = entry.key;
    let count = counts.get(key) ?? 1;
    while (keys.has(key)) key = `${entry.key}~${++count}`;
    counts.set(entry.key, count);
    keys.add(key);
    let free = key === entry.key ? entry : { ...entry, key };
    for (const id of terminalIdsOf(free)) {
      if (free.kind !== 'toolCall') break;
      // The terminal of an earlier call has the key of its entry as its id.
      const isNamed = id === entry.key || id === free.toolCallId;
      if (!shown.has(id) && !(isNamed && ids.has(free.toolCallId))) continue;
      const own = isNamed ? key : `${key} ${id}`;
      kept.set(own, id);
      free = showing(free, id, own);
    }
    return free;
  };
}

type Terminals = Conversation['terminals'];

function mergedTerminals(
  older: readonly (readonly [string, ConversationTerminal])[],
  newer: Terminals,
): Terminals {
  const added = older.flatMap(([id, terminal]): readonly (readonly [string, ConversationTerminal])[] => {
    const own = Object.hasOwn(newer, id) ? newer[id] : undefined;
    if (!own) return [[id, terminal]];
    const longer = lengthOf(own) < lengthOf(terminal) ? terminal : own;
    const known = [own, terminal].map((each) => each.exitStatus).find(isKnown);
    const exitStatus = known ?? own.exitStatus ?? terminal.exitStatus;
    return longer === own && exitStatus === own.exitStatus ? [] : [[id, { ...longer, exitStatus }]];
  });
  // Defines a key `__proto__` like any other.
  return added.length === 0 ? newer : Object.fromEntries([...Object.entries(newer), ...added]);
}

/** An agent that does not know how a command ended says that it ended. */
function isKnown(status: ConversationTerminal['exitStatus']): boolean {
  return typeof status?.exitCode === 'number' || typeof status?.signal === 'string';
}

function lengthOf({ output, droppedBytes }: ConversationTerminal): number {
  return output.length + droppedBytes;
}
