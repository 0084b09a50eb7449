import type { Entry, MessageEntry } from '../model/conversation.ts';
import type { MessageChunk, MessageUpdate, PromptSettled, PromptSubmitted } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { keyOf } from './entry-index.ts';
import { patchMeta } from './meta.ts';

type Role = MessageEntry['role'];

/** One more block of a message. */
export function messageChunk(role: Role): (draft: Draft, update: MessageChunk) => void {
  return (draft, { messageId = null, content }) => {
    draft.appendBlock(placeOf(draft, role, messageId) ?? begin(draft, role, messageId), content);
  };
}

/** A message as a whole. */
export function messageUpdate(role: Role): (draft: Draft, update: MessageUpdate) => void {
  return (draft, { messageId, content, _meta }) => {
    const place = placeOf(draft, role, messageId);
    if (place === undefined) {
      begin(draft, role, messageId, content ?? [], patchMeta(null, _meta));
      return;
    }
    const entry = draft.entry(place) as MessageEntry;
    draft.replace(place, {
      ...entry,
      content: content === undefined ? entry.content : (content ?? []),
      meta: patchMeta(entry.meta, _meta),
    });
  };
}

/** A prompt of ours, before the agent has said anything of it. */
export function promptSubmitted(draft: Draft, { key, content }: PromptSubmitted): void {
  if (draft.entries.index.findKey(key) !== undefined) return;
  draft.append({ kind: 'message', key, role: 'user', messageId: null, content, origin: 'local', meta: null });
}

/**
 * The agent took a prompt of ours, or did not, in which case it was never part of the conversation. A receipt that
 * names the message comes before the agent's own words for it, or after: until these are there, the entry waits.
 */
export function promptSettled(draft: Draft, { key, accepted, messageId }: PromptSettled): void {
  const place = draft.entries.index.findKey(key);
  const entry = place === undefined ? undefined : draft.entry(place);
  if (place === undefined || entry?.kind !== 'message') return;
  if (!accepted) {
    if (entry.origin === 'local') draft.remove(place);
    return;
  }
  if (messageId != null && entry.messageId === messageId) return;
  if (messageId == null || entry.messageId !== null) {
    draft.replace(place, { ...entry, origin: 'live' });
    return;
  }
  const echo = draft.entries.index.findId('user', messageId);
  const echoed = echo === undefined ? undefined : draft.entry(echo);
  if (echo === undefined || echoed?.kind !== 'message') {
    draft.replace(place, { ...entry, messageId });
    return;
  }
  draft.replace(place, { ...entry, content: echoed.content, meta: echoed.meta, messageId, origin: 'live' });
  draft.remove(echo);
}

/** Where the message stands that an update with this id is about. */
function placeOf(draft: Draft, role: Role, messageId: string | null): number | undefined {
  const { entries } = draft;
  const last = draft.lastEntry();
  const lastIsOurs = last?.kind === 'message' && last.role === role && last.origin !== 'local';
  // Agents leave the id out now and then: what follows without a break is the same message.
  if (messageId === null) return lastIsOurs ? entries.length - 1 : undefined;
  if (lastIsOurs && last.messageId === messageId) return entries.length - 1;
  const known = entries.index.findId(role, messageId);
  // What waits to be put into an entry never changes where it comes from, so it may go on waiting.
  if (known !== undefined) return isLocal(entries.at(known)) ? confirm(draft, known, messageId) : known;
  const unnamed =
    confirmed(draft, role) ?? (lastIsOurs && last.messageId === null ? entries.length - 1 : undefined);
  return unnamed === undefined ? undefined : confirm(draft, unnamed, messageId);
}

/** The message at `place` is the one with this id, and no longer only ours. */
function confirm(draft: Draft, place: number, messageId: string): number {
  const entry = draft.entry(place) as MessageEntry;
  // The agent's own words for a prompt are the truth of it: it may have rewritten what we sent.
  draft.replace(place, { ...entry, messageId, ...(isLocal(entry) && { content: [], origin: 'live' }) });
  return place;
}

function isLocal(entry: Entry | undefined): boolean {
  return entry?.kind === 'message' && entry.origin === 'local';
}

/** The oldest prompt of ours that waits for its confirmation: a live user message with a new id is about that. */
function confirmed(draft: Draft, role: Role): number | undefined {
  return role === 'user' && draft.origin === 'live' ? draft.entries.index.findUnconfirmed() : undefined;
}

function begin(
  draft: Draft,
  role: Role,
  messageId: string | null,
  content: MessageEntry['content'] = [],
  meta: MessageEntry['meta'] = null,
): number {
  const { origin } = draft;
  const key = messageId === null ? freeKey(draft, role) : keyOf(role, messageId);
  return draft.append({ kind: 'message', key, role, messageId, content, origin, meta });
}

/** A key for an entry that has no id: the first of its kind that is not taken. */
export function freeKey(draft: Draft, kind: string): string {
  let count = draft.entries.length;
  while (draft.entries.index.findKey(`${kind}#${count}`) !== undefined) count++;
  return `${kind}#${count}`;
}
