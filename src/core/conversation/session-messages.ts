import type { SessionMessageEntry } from '../model/conversation.ts';
import type { SessionMessageChunk, SessionMessageUpdate } from '../model/update.ts';
import { carried, type Draft } from './draft.ts';
import { defaults } from './entry-defaults.ts';
import { keyOf } from './entry-index.ts';
import { joinTexts } from './text-blocks.ts';

/** Changes or adds a message between sessions. */
export function sessionMessageUpdate(draft: Draft, update: SessionMessageUpdate): void {
  const { content } = update;
  const index = findOrAppend(draft, update.messageId);
  const entry = draft.entry(index) as SessionMessageEntry; // The id is in the namespace of these messages.
  draft.replace(index, {
    ...entry,
    ...carried(update, ['senderSessionId', 'recipientSessionId', 'senderMessageId', 'recipientMessageId']),
    content: content === undefined ? entry.content : joinTexts(content ?? []),
    meta: draft.patchMeta(entry.meta, update._meta),
  });
}

/** Appends a block to a message between sessions. */
export function sessionMessageChunk(draft: Draft, { messageId, content }: SessionMessageChunk): void {
  draft.appendBlock(findOrAppend(draft, messageId), content);
}

function findOrAppend(draft: Draft, messageId: string): number {
  return (
    draft.entries.index.findId('session', messageId) ??
    draft.append({
      kind: 'sessionMessage',
      key: keyOf('session', messageId),
      messageId,
      ...defaults.sessionMessage,
      content: [],
      origin: draft.origin,
    })
  );
}
