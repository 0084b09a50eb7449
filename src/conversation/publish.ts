import type { Conversation } from '../model/conversation.ts';
import { diffConversation } from './diff.ts';
import type { ConversationPatch } from './patch.ts';
import type { ConversationStore } from './store.ts';

/** A message from {@link publishConversation} to `createConversationMirror`: plain, JSON-safe data. */
export interface MirrorMessage {
  /** 0 for the whole conversation, then incremented by 1 for each message. */
  readonly sequence: number;
  readonly patch: ConversationPatch;
}

/** Sends the changes of a conversation to another process. */
export interface ConversationPublisher {
  /** Sends the whole conversation again, for a view that was loaded later or lost a message. */
  readonly resend: () => void;
  /** Stops sending messages. */
  readonly stop: () => void;
}

/**
 * Sends a conversation and its changes, for a view in another process, such as a webview. The first message contains
 * the whole conversation and is sent at once. Then one message is sent for all changes that arrive together.
 *
 * @param send - Sends a message to the mirror, in order. An error that it throws is an error of the store's listener; the
 * mirror then asks for the conversation.
 * @param schedule - Delays the next message, for example to one for each frame. Default: no delay.
 *
 * @example
 * ```ts
 * const publisher = publishConversation(
 *   session.conversation,
 *   (message) => void panel.webview.postMessage(message),
 *   (flush) => void setTimeout(flush, 16),
 * );
 * ```
 */
export function publishConversation(
  store: ConversationStore,
  send: (message: MirrorMessage) => void,
  schedule: (flush: () => void) => void = (flush) => flush(),
): ConversationPublisher {
  let sent: Conversation | undefined;
  let sequence = 0;
  let isScheduled = false;
  let isStopped = false;

  const flush = () => {
    isScheduled = false;
    if (isStopped) return;
    const next = store.getSnapshot();
    const patch = diffConversation(sent, next);
    sent = next;
    if (patch.length > 0) send({ sequence: sequence++, patch });
  };
  const unsubscribe = store.subscribe(() => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  });
  const resend = () => {
    sent = undefined;
    sequence = 0;
    flush();
  };
  resend();
  return {
    resend,
    stop() {
      isStopped = true;
      unsubscribe();
    },
  };
}
