import { AcpError, UsageError } from '../../base/errors.ts';
import type { Conversation } from '../../model/conversation.ts';

/** The error of a call that was to replay the history of a session. */
export type FailedLoad = AcpError &
  (
    | {
        /** The agent had sent the whole history, and then failed to open the session. */
        readonly replay: 'complete';
        /** The conversation when the history was complete, for the user to read. The session is not open. */
        readonly conversation: Conversation;
      }
    | { readonly replay: 'truncated' }
  );

/**
 * Whether an error is that of a load that failed. Its `replay` says how much of the history had come. A complete one is in
 * its `conversation`: an editor can show or save it, although the session could not be opened.
 *
 * @example
 * ```ts
 * try {
 *   await connection.loadSession({ sessionId, cwd });
 * } catch (error) {
 *   if (isFailedLoad(error) && error.replay === 'complete') showReadOnly(error.conversation);
 *   else throw error;
 * }
 * ```
 */
export function isFailedLoad(error: unknown): error is FailedLoad {
  return AcpError.is(error) && error.replay !== undefined;
}

/** Says in the error of a load what had come: the whole history, or less. */
export function describeLoad(error: unknown, whole: Conversation | undefined): void {
  if (!AcpError.is(error) || (error instanceof UsageError && !whole)) return;
  error.replay = whole ? 'complete' : 'truncated';
  // Not listed: a whole conversation is too long for a log.
  if (whole) Object.defineProperty(error, 'conversation', { value: whole, configurable: true });
}
