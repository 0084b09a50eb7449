import { InvalidParamsError } from '../../core/base/errors.ts';
import { callListener, ListenerSet, listenerForErrors } from '../../core/base/listeners.ts';
import { diffConversation } from '../../core/conversation/diff.ts';
import { emptyConversation } from '../../core/conversation/fold.ts';
import { applyPatch } from '../../core/conversation/patch.ts';
import type { ConversationStore } from '../../core/conversation/store.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { MirrorMessage } from './publish.ts';

/** A copy of a conversation in another process. */
export interface ConversationMirror extends ConversationStore {
  /** Receives a message from the publisher. It needs no `this`. Listeners are called before it returns. */
  readonly receive: (message: MirrorMessage) => void;
}

/** Options of {@link createConversationMirror}. */
export interface ConversationMirrorOptions {
  /**
   * Called if a message was lost or out of order, with an error that says so. Ask the publisher to `resend`. Until then
   * the mirror keeps its state and ignores messages.
   */
  readonly requestResend: (reason: Error) => void;
  /**
   * Called with each error that a listener or `requestResend` throws or rejects with. Its own errors are ignored.
   * Default: errors are ignored.
   */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates a copy of a conversation from the messages of `publishConversation`. It is empty until the first message
 * arrives. Parts that did not change keep their identity, also when the whole conversation is sent again.
 *
 * @param sessionId - The session of the empty conversation.
 *
 * @example
 * ```ts
 * const mirror = createConversationMirror(sessionId, {
 *   requestResend: () => vscode.postMessage({ type: 'resend' }),
 * });
 * addEventListener('message', ({ data }) => mirror.receive(data));
 * mirror.subscribe(() => draw(mirror.getSnapshot()));
 * ```
 */
export function createConversationMirror(
  sessionId: string,
  { requestResend, onListenerError = () => {} }: ConversationMirrorOptions,
): ConversationMirror {
  const failed = listenerForErrors(onListenerError);
  const listeners = new ListenerSet<[]>(failed);
  let conversation = emptyConversation(sessionId);
  /** The sequence number of the next message; `undefined` while the whole conversation is expected. */
  let expected: number | undefined = 0;

  const lose = (reason: InvalidParamsError) => {
    expected = undefined;
    callListener(() => requestResend(reason), failed);
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
        // The whole conversation through a diff, so that what is equal keeps its identity.
        const whole = sequence === 0 ? applyPatch(undefined, patch) : undefined;
        next = applyPatch(conversation, whole ? diffConversation(conversation, whole) : patch);
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
