import { onTestFinished } from 'vitest';
import type { Session } from '../../src/core/client/session/session.ts';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import {
  createConversationStore,
  type WritableConversationStore,
} from '../../src/core/conversation/store.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { ConversationUpdate } from '../../src/core/model/update.ts';
import { openTranscripts } from '../../src/records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../src/records/transcripts/transcripts.ts';

/** A session without an agent, whose conversation a test changes. */
export interface StoreSession {
  readonly session: Session;
  readonly store: WritableConversationStore;
  /** Folds updates, and resolves when the subscribers know. */
  apply(...updates: readonly ConversationUpdate[]): Promise<void>;
}

/** @param conversation - What the session shows first. Default: nothing. */
export function storeSession(
  sessionId: string,
  { cwd = '/home/user/project', conversation = emptyConversation(sessionId) } = {} as {
    readonly cwd?: string;
    readonly conversation?: Conversation;
  },
): StoreSession {
  const store = createConversationStore(conversation);
  // A recording uses no other members.
  const session = { sessionId, cwd, store, closed: new Promise(() => {}) } as unknown as Session;
  return {
    session,
    store,
    async apply(...updates) {
      for (const update of updates) store.apply(update);
      await Promise.resolve();
    },
  };
}

/** A message, or the rest of one with the same id. */
export function said(role: 'user' | 'agent', text: string, messageId?: string): ConversationUpdate {
  return {
    sessionUpdate: `${role}_message_chunk`,
    content: { type: 'text', text },
    ...(messageId !== undefined && { messageId }),
  };
}

/** Transcripts that are closed after the test. */
export async function openIn(directory: string): Promise<Transcripts> {
  const transcripts = await openTranscripts({ directory });
  onTestFinished(() => transcripts.close());
  return transcripts;
}

/** Everything that a list or a search returns. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
