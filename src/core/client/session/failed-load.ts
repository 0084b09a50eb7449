import { AcpError, UsageError } from '../../base/errors.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { SessionRunner } from './runner.ts';

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

/** Keeps the conversation of a session as it is when its replay is complete, until `stop` is called. */
export function keepHistory(runner: SessionRunner) {
  let value: Conversation | undefined;
  const stop = runner.updates.add(({ sessionUpdate }) => {
    if (sessionUpdate === 'replay_complete' && runner.replay === 'complete') value ??= runner.conversation;
  });
  /** Says in the error of the call what had come. */
  const describe = (error: unknown) => {
    if (!AcpError.is(error) || (error instanceof UsageError && !value)) return;
    error.replay = value ? 'complete' : 'truncated';
    // Not listed: a whole conversation is too long for a log.
    if (value) Object.defineProperty(error, 'conversation', { value, configurable: true });
  };
  return { stop, describe };
}
