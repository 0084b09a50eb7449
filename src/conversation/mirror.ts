import { InvalidParamsError } from '../errors.ts';
import { ListenerSet } from '../listeners.ts';
import type { Conversation } from '../model/conversation.ts';
import { diffConversation } from './diff.ts';
import { emptyConversation } from './fold.ts';
import { applyPatch, type ConversationPatch } from './patch.ts';
import type { ConversationStore } from './store.ts';

/** A message from {@link publishConversation} to {@link createConversationMirror}: plain, JSON-safe data. */
export interface MirrorMessage {
  /** 0 for the whole conversation; then one more for each message. */
  readonly sequence: number;
  readonly patch: ConversationPatch;
}

/** Sends the changes of a conversation to another process. */
export interface ConversationPublisher {
  /** Sends the whole conversation again, for a view that was loaded later or lost a message. */
  readonly resend: () => void;
  /** Sends no more messages. */
  readonly stop: () => void;
}

/** A copy of a conversation of another process. */
export interface ConversationMirror extends ConversationStore {
  /** Takes a message of the publisher. Bound. Listeners are called before it returns. */
  readonly receive: (message: MirrorMessage) => void;
}

/**
 * Sends a conversation and its changes, for a view in another process, such as a webview. The first message holds the
 * whole conversation and is sent at once. Then one message is sent for all changes that arrive together.
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

/**
 * Creates a copy of a conversation from the messages of {@link publishConversation}. It is empty until the first message
 * arrives. What did not change keeps its identity, also when the whole conversation is sent again.
 *
 * @param sessionId - The session of the empty conversation.
 * @param requestResend - Called if a message was lost or out of order, with an error that says so. Ask the publisher to
 * `resend`. Until then the mirror keeps its state and ignores messages.
 * @param onListenerError - Called with each error that a listener throws. Default: errors are ignored.
 *
 * @example
 * ```ts
 * const mirror = createConversationMirror(sessionId, () => vscode.postMessage({ type: 'resend' }));
 * addEventListener('message', ({ data }) => mirror.receive(data));
 * mirror.subscribe(() => draw(mirror.getSnapshot()));
 * ```
 */
export function createConversationMirror(
  sessionId: string,
  requestResend: (reason: Error) => void,
  onListenerError: (error: unknown) => void = () => {},
): ConversationMirror {
  const listeners = new ListenerSet<[]>(onListenerError);
  let conversation = emptyConversation(sessionId);
  /** The sequence number of the next message; `undefined` while the whole conversation is expected. */
  let expected: number | undefined = 0;

  const lose = (reason: InvalidParamsError) => {
    expected = undefined;
    requestResend(reason);
  };

  return {
    getSnapshot: () => conversation,
    subscribe: (listener) => listeners.add(listener),
    receive({ sequence, patch }) {
      if (sequence !== 0 && sequence !== expected) {
        if (expected !== undefined) lose(gap(expected, sequence));
        return;
      }
      let next: Conversation;
      try {
        next =
          sequence === 0
            ? // Through a diff, so that what is equal keeps its identity.
              applyPatch(conversation, diffConversation(conversation, applyPatch(undefined, patch)))
            : applyPatch(conversation, patch);
      } catch (error) {
        if (!(error instanceof InvalidParamsError)) throw error;
        lose(error);
        return;
      }
      expected = sequence + 1;
      if (next === conversation) return;
      conversation = next;
      listeners.notify();
    },
  };
}

function gap(expected: number, sequence: number): InvalidParamsError {
  return new InvalidParamsError(
    `The mirror received message ${sequence} of the conversation and expected message ${expected}. ` +
      'A message was lost or out of order. Call `resend` of the publisher.',
  );
}
