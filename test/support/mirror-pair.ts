import { emptyConversation } from '../../src/conversation/fold.ts';
import { type ConversationMirror, createConversationMirror } from '../../src/conversation/mirror.ts';
import { type MirrorMessage, publishConversation } from '../../src/conversation/publish.ts';
import { createConversationStore, type WritableConversationStore } from '../../src/conversation/store.ts';
import type { ConversationUpdate } from '../../src/model/update.ts';

export const chunk = (messageId: string, text: string): ConversationUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
export const microtask = () => new Promise<void>((resolve) => queueMicrotask(resolve));

/** A publisher, and a mirror that receives what `deliver` delivers. */
export interface Pair {
  readonly store: WritableConversationStore;
  readonly mirror: ConversationMirror;
  /** The messages that were sent and not yet delivered. */
  readonly messages: MirrorMessage[];
  readonly reasons: string[];
  readonly resend: () => void;
  readonly stop: () => void;
  deliver(): void;
}

export function pair(schedule?: (flush: () => void) => void): Pair {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(chunk('m1', 'Hello.'));
  const messages: MirrorMessage[] = [];
  const reasons: string[] = [];
  const mirror = createConversationMirror('s1', { requestResend: ({ message }) => reasons.push(message) });
  const send = (message: MirrorMessage) => void messages.push(structuredClone(message));
  const { resend, stop } = publishConversation(store, { send, schedule });
  const deliver = () => {
    for (const message of messages.splice(0)) mirror.receive(message);
  };
  return { store, mirror, messages, reasons, resend, stop, deliver };
}
