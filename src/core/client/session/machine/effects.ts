import type { JsonObject } from '../../../base/json.ts';
import type { AnyUpdate } from '../../../model/client-update.ts';
import type { Conversation } from '../../../model/conversation.ts';
import type { SessionEnd } from './session-end.ts';
import type { AgentFailure, CancelReason, TurnEnd } from './state.ts';

/** How a turn ends for its caller. */
export type TurnOutcome =
  | { readonly result: TurnEnd & { readonly messageId: string | null; readonly _meta?: JsonObject } }
  /** The agent failed while it worked on the prompt, which it had accepted. */
  | { readonly failure: AgentFailure }
  /** `acceptance` is what is known of the prompt where the connection ended. */
  | { readonly error: unknown; readonly acceptance?: 'accepted' | 'begun' | 'unknown' | 'queued' };

/** A turn that was held ends with the error of the `link_lost` since which it was. `lost`: what is known of its prompt. */
export interface LostTurn {
  readonly lost: 'accepted' | 'begun' | 'unknown';
}

/**
 * What happens to the conversations of a session:
 *
 * - `beginReplay`: an empty conversation is shown, and the one before is kept. It gets what is not history as well
 * - `restore`: the kept conversation is shown again. What was collected is not known without the replay
 * - `release`: the kept conversation is forgotten
 * - `beginCollecting`: what is shown from now on is not part of the history that will be collected
 * - `merge`: what is new in the collected conversation is added to the shown one
 * - `mergeTurn`: the same, where the collected conversation has the answer of the turn too
 * - `discard`: the collected conversation is forgotten
 */
export type StoreChange =
  | 'beginReplay'
  | 'restore'
  | 'release'
  | 'beginCollecting'
  | 'merge'
  | 'mergeTurn'
  | 'discard';

export type SessionEffect =
  | { readonly type: 'fold'; readonly update: AnyUpdate }
  /** Folds history, as the state of the history says. */
  | { readonly type: 'fold_history'; readonly update: AnyUpdate }
  | { readonly type: 'stores'; readonly change: StoreChange }
  /** The history that the agent was asked for is complete. */
  | { readonly type: 'replayed' }
  /** Shows a conversation that the editor saved. */
  | { readonly type: 'reset'; readonly conversation: Conversation }
  /** Sends a prompt. Once more: with the same key and the same parameters. */
  | { readonly type: 'send_prompt'; readonly key: string }
  /** Sends what the event with this id is about. */
  | { readonly type: 'send'; readonly id: string }
  /** Does without what the event with this id is about: the session is not open. */
  | { readonly type: 'skip'; readonly id: string }
  /** Withdraws the call of a prompt whose turn goes on, and cancels the turn. */
  | { readonly type: 'cancel_turn'; readonly key: string }
  /** Gives up the load that is under way. */
  | { readonly type: 'abandon_load' }
  | {
      readonly type: 'accept';
      readonly key: string;
      readonly messageId: string | null;
      /** The `_meta` of the answer to the prompt. */
      readonly meta: JsonObject | null;
    }
  | { readonly type: 'settle'; readonly key: string; readonly outcome: TurnOutcome | LostTurn }
  /** Sends a message of the queue as a prompt. */
  | { readonly type: 'send_queued'; readonly id: string }
  /** Asks the user. */
  | { readonly type: 'ask'; readonly id: string }
  /** Ends a request: with what its handler returned, or without it for a reason. */
  | { readonly type: 'answer'; readonly id: string; readonly reason: CancelReason | 'handled' }
  /** The session is over: what waits for its end gets the reason. */
  | { readonly type: 'end'; readonly end: SessionEnd }
  /** `isSteered`: messages were steered into the turn. */
  | { readonly type: 'report_stall'; readonly isSteered: boolean };
