import { equal } from '../../core/conversation/equal.ts';
import { isSame, placeNear, placesById } from '../../core/conversation/history.ts';
import { textOf } from '../../core/conversation/select.ts';
import type { ConversationEntry } from '../../core/model/conversation.ts';
import { endedStatuses } from '../../core/model/tool-call.ts';
import { isSeenBy, type Source, type Written } from './written.ts';

/**
 * The entries of two recordings of a session that are the same: the index in the newer one by the index in the older one.
 *
 * They were first written at the same place, or have the same id of the agent, or say the same and one of the two is a
 * replay that was found in no other record.
 */
export function matches(older: Written, newer: Written): ReadonlyMap<number, number> {
  const entries = older.conversation.entries;
  const pairs = new Map<number, number>();
  const partners = writtenOnce(older, newer, pairs);
  const placeOf = placesById(entries);
  let next = 0;
  for (const [index, entry] of newer.conversation.entries.entries()) {
    let place = partners.get(index);
    if (place === undefined) {
      place = placeOf(entry, next);
      while (place !== undefined && pairs.has(place)) place = placeOf(entry, next);
      const isOther = place !== undefined && isAnotherCall(entries[place], entry);
      if (place === undefined || isOther) place = repeatedPlace(older, newer, entry, next, pairs);
    }
    if (place === undefined) continue;
    pairs.set(place, index);
    next = Math.max(next, place + 1);
  }
  return pairs;
}

/** Pairs the entries that were first written at the same place. Returns them by the index in the newer one. */
function writtenOnce(
  older: Written,
  newer: Written,
  pairs: Map<number, number>,
): ReadonlyMap<number, number> {
  const places = new Map<string, number>();
  const entries = older.conversation.entries;
  for (const [place, { key }] of entries.entries())
    for (const origin of older.sources.get(key)?.origins ?? []) places.set(origin, place);
  const partners = new Map<number, number>();
  for (const [index, entry] of newer.conversation.entries.entries()) {
    for (const origin of newer.sources.get(entry.key)?.origins ?? []) {
      const place = places.get(origin);
      if (place === undefined || pairs.has(place) || !isOfOneKind(entries[place], entry)) continue;
      pairs.set(place, index);
      partners.set(index, place);
      break;
    }
  }
  return partners;
}

/** An agent that replays a history piece by piece can give a key to another entry. */
function isOfOneKind(one: ConversationEntry | undefined, other: ConversationEntry): boolean {
  return one?.kind === 'message' && other.kind === 'message'
    ? one.role === other.role
    : one?.kind === other.kind;
}

/** The place of the entry that says the same as one of the newer recording, where one of the two is a replay. */
function repeatedPlace(
  older: Written,
  newer: Written,
  entry: ConversationEntry,
  next: number,
  pairs: ReadonlyMap<number, number>,
): number | undefined {
  const entries = older.conversation.entries;
  const source = newer.sources.get(entry.key);
  const canBeSame = (candidate: ConversationEntry, at: number) => {
    const other = older.sources.get(candidate.key);
    return !pairs.has(at) && source && other && canRepeat(candidate, other, entry, source);
  };
  const place = placeNear(entries, next, (candidate, at) =>
    Boolean(canBeSame(candidate, at) && saysTheSame(candidate, entry)),
  );
  if (place !== undefined) return place;
  const following = entries[next];
  return following && canBeSame(following, next) && isCutOff(following, entry) ? next : undefined;
}

function canRepeat(
  older: ConversationEntry,
  olderSource: Source,
  newer: ConversationEntry,
  newerSource: Source,
): boolean {
  const [isOldReplay, isReplay] = [older.origin === 'replay', newer.origin === 'replay'];
  // A replay that was found in another record is known by its origin.
  if (!(isOldReplay && olderSource.isFirst) && !(isReplay && newerSource.isFirst)) return false;
  if (!isReplay && isSeenBy(newerSource.record, olderSource)) return false;
  return isOldReplay || !isSeenBy(olderSource.record, newerSource);
}

function saysTheSame(older: ConversationEntry, newer: ConversationEntry): boolean {
  if (older.kind === newer.kind && (older.kind === 'turnFailure' || older.kind === 'unknown'))
    return equal({ ...older, key: '', origin: '' }, { ...newer, key: '', origin: '' });
  const [shown, replayed] = newer.origin === 'replay' ? [older, newer] : [newer, older];
  return isSame(shown, replayed);
}

/** Whether a replay has only the beginning of an answer. */
function isCutOff(older: ConversationEntry, newer: ConversationEntry): boolean {
  if (older.kind !== 'message' || newer.kind !== 'message' || newer.role === 'user') return false;
  const [known, text] = [textOf(older).trim(), textOf(newer).trim()];
  return newer.origin === 'replay' && older.role === newer.role && text !== '' && known.startsWith(text);
}

/** Whether two live recordings have two calls that have ended, under an id that the agent gave twice. */
function isAnotherCall(older: ConversationEntry | undefined, newer: ConversationEntry): boolean {
  if (older?.kind !== 'toolCall' || newer.kind !== 'toolCall') return false;
  const areWhole = [older, newer].every(
    ({ origin, status }) => origin !== 'replay' && endedStatuses.has(status),
  );
  return areWhole && !equal([older.title, older.rawInput], [newer.title, newer.rawInput]);
}

/** The newer of two versions of an entry, with what an agent leaves out of a replay. */
export function wholeOf(older: ConversationEntry, newer: ConversationEntry): ConversationEntry {
  if (older.kind === 'message' && newer.kind === 'message') {
    const [known, text] = [textOf(older).trim(), textOf(newer).trim()];
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
