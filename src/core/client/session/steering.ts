import { RemoteError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { oneOf, optional, optionsObject } from '../../base/options.ts';
import type { SteerAnswer } from '../../protocol/calls.ts';
import { type CallOptions, callOptionEntries } from '../calls/call-options.ts';
import type { QueuedPrompt } from './turn.ts';

/** Options of {@link Session.steer}. @experimental */
export interface SteerOptions extends CallOptions {
  /**
   * What happens to a message that no running turn takes, because the turn has just ended, for example. `queue`: it is
   * sent as a prompt, as by {@link Session.queue}. `none`: nothing, and it is left to you. Default: `queue`.
   */
  readonly fallback?: 'queue' | 'none' | undefined;
}

/** What became of a message for the running turn. @experimental */
export type SteerResult =
  | {
      /**
       * - `injected`: the running turn gets it
       * - `startedNewTurn`: no turn ran, and the agent has begun one by itself. No call waits for its end: see
       *   `conversation.activity`, which an agent of version 1 does not report
       */
      readonly outcome: 'injected' | 'startedNewTurn';
      /** The id of the message in `conversation.pendingMessages`, if it is there. `session.revoke` takes it. */
      readonly id: string;
    }
  /** No running turn took it: it is sent as a prompt, and `turn` is the turn of that prompt. */
  | { readonly outcome: 'queued'; readonly turn: QueuedPrompt }
  /** No running turn took it, and it was not sent otherwise: `fallback` is `none`. */
  | { readonly outcome: 'notTaken' };

/** The checks of {@link SteerOptions}. */
export const steerOptionsSchema = optionsObject({
  ...callOptionEntries,
  fallback: optional(oneOf('queue', 'none')),
});

/** The answer to a steered message. That no turn runs is an error in the protocol, and an outcome here. */
export function steerAnswer(answer: Promise<SteerAnswer>): Promise<SteerAnswer> {
  return answer.catch((error: unknown) => {
    if (reasonOf(error) === 'no_running_turn') return { outcome: 'promptRequired' };
    throw error;
  });
}

/** Why an agent refuses to take a message, or to give it back. */
export function reasonOf(error: unknown): unknown {
  return error instanceof RemoteError && isJsonObject(error.data) ? error.data['reason'] : undefined;
}
