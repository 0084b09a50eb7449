import type { JsonObject } from '../base/json.ts';
import type { PromptSettled, PromptSubmitted } from '../model/client-update.ts';
import type { ContentBlock } from '../model/content.ts';
import type { ConversationEntry, MessageEntry } from '../model/conversation.ts';
import type { MessageChunk, MessageUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { keyOf } from './entry-index.ts';
import { joinTexts } from './text-blocks.ts';

type Role = MessageEntry['role'];

/** Appends a block to a message. */
export function messageChunk(role: Role): (draft: Draft, update: MessageChunk) => void {
  return (draft, update) => {
    const { messageId = null, content, _meta } = update;
    const isUnnamed = role === 'user' && messageId === null && content.type === 'text';
    const prompt = isUnnamed ? unnamedPrompt(draft) : undefined;
    // Agents replay a prompt block by block, and its text in one chunk: of two texts in a row, the second one is the next
    // prompt.
    const isNext = draft.origin === 'replay' && prompt?.content.at(-1)?.type === 'text';
    const known = isNext ? undefined : (takeEcho(draft, prompt, content) ?? findMessage(draft, role, update));
    if (known === undefined) append(draft, role, messageId, [content], draft.patchMeta(null, _meta));
    else draft.appendBlock(known, content);
  };
}

/** The last entry, if it is a prompt without an id. */
function unnamedPrompt(draft: Draft): MessageEntry | undefined {
  const last = draft.entry(draft.entries.length - 1);
  return last?.kind === 'message' && last.role === 'user' && last.messageId === null ? last : undefined;
}

/**
 * The last prompt, if the agent repeats it word for word and without an id. Its content is taken out, so that the chunk
 * is not there twice. Other words can be a history that comes late, and are a message of their own.
 */
function takeEcho(draft: Draft, prompt: MessageEntry | undefined, chunk: ContentBlock): number | undefined {
  if (draft.origin !== 'live' || prompt?.origin !== 'local' || chunk.type !== 'text') return undefined;
  const [block, ...others] = prompt.content;
  if (others.length > 0 || block?.type !== 'text' || block.text !== chunk.text) return undefined;
  const index = draft.entries.length - 1;
  draft.replace(index, { ...prompt, content: [], origin: 'live' });
  return index;
}

/** Replaces the content of a message. */
export function messageUpdate(role: Role): (draft: Draft, update: MessageUpdate) => void {
  return (draft, { messageId, content, _meta }) => {
    const index = findMessage(draft, role, { messageId });
    if (index === undefined) {
      append(draft, role, messageId, content ?? [], draft.patchMeta(null, _meta));
      return;
    }
    const entry = draft.entry(index) as MessageEntry; // `findMessage` finds messages only.
    draft.replace(index, {
      ...entry,
      content: content === undefined ? entry.content : joinTexts(content ?? []),
      meta: draft.patchMeta(entry.meta, _meta),
    });
  };
}

/** Adds a prompt that the agent has not confirmed yet. */
export function promptSubmitted(draft: Draft, { key, content }: PromptSubmitted): void {
  if (draft.entries.index.findKey(key) !== undefined) return;
  append(draft, 'user', null, content, null, key, 'local');
}

/**
 * The agent accepted a prompt or refused it. A refused prompt is removed. An answer that names the message can come
 * before or after the agent's echo of it. Until the echo arrives, the entry stays unconfirmed.
 */
export function promptSettled(draft: Draft, { key, accepted, messageId }: PromptSettled): void {
  const index = draft.entries.index.findKey(key);
  const entry = index === undefined ? undefined : draft.entry(index);
  if (index === undefined || entry?.kind !== 'message') return;
  if (!accepted && entry.origin === 'local') draft.removeKeys(new Set([key]));
  if (!accepted || (messageId != null && entry.messageId === messageId)) return;
  if (messageId == null || entry.messageId !== null) {
    draft.replace(index, { ...entry, origin: 'live' });
    return;
  }
  const echoIndex = draft.entries.index.findId('user', messageId);
  const echo = echoIndex === undefined ? undefined : draft.entry(echoIndex);
  if (echoIndex === undefined || echo?.kind !== 'message') {
    draft.replace(index, { ...entry, messageId });
    return;
  }
  // A prompt that the agent had before, and that was sent once more, stays before its answer.
  const isOld = echoIndex < index - 1;
  if (!isOld)
    draft.replace(index, { ...entry, content: echo.content, meta: echo.meta, messageId, origin: 'live' });
  draft.removeKeys(new Set([isOld ? key : echo.key]));
}

/**
 * Whether a chunk is of the speaker of a message, as far as their metadata says. A subagent's words name the tool call
 * that it works for, and some agents name the prompt that they answer. A chunk that names no prompt is not of another.
 */
function isSameSpeaker(message: JsonObject | null, chunk: JsonObject | null | undefined): boolean {
  if (message === null && chunk == null) return true;
  const [prompt, other] = [message?.['promptId'] ?? null, chunk?.['promptId'] ?? null];
  const isOtherPrompt = prompt !== null && other !== null && prompt !== other;
  return !isOtherPrompt && (message?.['parentToolCallId'] ?? null) === (chunk?.['parentToolCallId'] ?? null);
}

/** Returns the index of the message that an update refers to. */
function findMessage(
  draft: Draft,
  role: Role,
  { messageId = null, _meta, begins }: Omit<MessageChunk, 'sessionUpdate' | 'content'>,
): number | undefined {
  const { entries } = draft;
  const lastIndex = entries.length - 1;
  // It may lack collected content, but its kind, role, id and origin are correct.
  const last = entries.at(lastIndex);
  const isSameRole = last?.kind === 'message' && last.role === role && last.origin !== 'local';
  // Some agents omit the id now and then: a chunk that directly follows belongs to the same message.
  const continuesLast = isSameRole && !begins && isSameSpeaker(last.meta, _meta);
  if (messageId === null) return continuesLast ? lastIndex : undefined;
  if (isSameRole && last.messageId === messageId) return lastIndex;
  const known = entries.index.findId(role, messageId);
  // `entries.at` may lack collected content, but its origin is correct.
  if (known !== undefined) return isLocal(entries.at(known)) ? confirm(draft, known, messageId) : known;
  // A live message of the user with an unknown id is the echo of the oldest unconfirmed prompt.
  const prompt = role === 'user' && draft.origin === 'live' ? entries.index.findUnconfirmed() : undefined;
  const unnamed = prompt ?? (continuesLast && last.messageId === null ? lastIndex : undefined);
  return unnamed === undefined ? undefined : confirm(draft, unnamed, messageId);
}

/** Gives a message its id, and marks a local prompt as confirmed. Returns its index. */
function confirm(draft: Draft, index: number, messageId: string): number {
  const entry = draft.entry(index) as MessageEntry; // Its callers pass indexes of messages.
  // The agent may have rewritten the prompt, so its echo replaces the local content.
  draft.replace(index, { ...entry, messageId, ...(isLocal(entry) && { content: [], origin: 'live' }) });
  return index;
}

function isLocal(entry: ConversationEntry | undefined): boolean {
  return entry?.kind === 'message' && entry.origin === 'local';
}

/** What the agent suggested was for the next message of the user. In a replay, any message that follows has followed it. */
function append(
  draft: Draft,
  role: Role,
  messageId: string | null,
  content: MessageEntry['content'],
  meta: MessageEntry['meta'],
  key = messageId === null ? freeKey(draft, role) : keyOf(role, messageId),
  origin = draft.origin,
): void {
  const isOld = role === 'user' || origin === 'replay';
  if (isOld && draft.fields.suggestions.length > 0) draft.set('suggestions', []);
  draft.append({ kind: 'message', key, role, messageId, content, origin, meta });
}

/** Returns an unused key for an entry without an id, such as `agent#3`. */
export function freeKey(draft: Draft, prefix: string): string {
  let count = draft.entries.length;
  while (draft.entries.index.findKey(`${prefix}#${count}`) !== undefined) count++;
  return `${prefix}#${count}`;
}
