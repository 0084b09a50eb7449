import { callListener, isThenable } from '../../core/base/listeners.ts';
import { diffConversation } from '../../core/conversation/diff.ts';
import type { ConversationPatch } from '../../core/conversation/patch.ts';
import type { ConversationStore } from '../../core/conversation/store.ts';
import type { Conversation } from '../../core/model/conversation.ts';

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

/** Options of {@link publishConversation}. */
export interface ConversationPublisherOptions {
  /**
   * Sends a message to the mirror, in order. If it throws or rejects, this is an error of the store's listener, and the
   * mirror then asks for the conversation. For the first message and in `resend`, what it throws reaches the caller,
   * and a rejection is ignored.
   */
  readonly send: (message: MirrorMessage) => void;
  /**
   * Delays the next message, for example to one for each frame: call `flush` later. If it throws or rejects, this is an
   * error of the store's listener, and it is called again after the next change. Default: no delay.
   */
  readonly schedule?: ((flush: () => void) => void) | undefined;
}

/**
 * Sends a conversation and its changes, for a view in another process, such as a webview. The first message contains
 * the whole conversation and is sent at once. Then one message is sent for all changes that arrive together.
 *
 * @example
 * ```ts
 * const publisher = publishConversation(session.store, {
 *   send: (message) => void panel.webview.postMessage(message),
 *   schedule: (flush) => void setTimeout(flush, 16),
 * });
 * ```
 */
export function publishConversation(
  store: ConversationStore,
  { send, schedule = (flush) => flush() }: ConversationPublisherOptions,
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
    return patch.length > 0 ? (send({ sequence: sequence++, patch }) as unknown) : undefined;
  };
  const unsubscribe = store.subscribe(() => {
    if (isScheduled) return undefined;
    isScheduled = true;
    // The store reports a rejection as an error of its listener, also if the message is sent later.
    return new Promise<unknown>((resolve, reject) => {
      const flushed = () => resolve(new Promise<unknown>((sent) => sent(flush())));
      callListener(
        () => schedule(flushed),
        (error) => {
          // The flush may never be called now. The next change is scheduled again.
          isScheduled = false;
          reject(error);
        },
      );
    });
  });
  const resend = () => {
    sent = undefined;
    sequence = 0;
    const sending = flush();
    if (isThenable(sending)) Promise.resolve(sending).catch(() => {});
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
