import { type DiagnosticListener, warning } from '../../base/diagnostic.ts';
import { AuthRequiredError } from '../../base/errors.ts';
import { deferred } from '../../base/wait.ts';
import type { AnyUpdate } from '../../model/client-update.ts';
import type { Caller } from '../calls/calls.ts';
import { failedCall } from '../calls/failed-call.ts';
import type { EventDelivery } from './event-delivery.ts';
import type { TurnOutcome } from './machine/effects.ts';
import type { AgentFailure } from './machine/state.ts';
import { isUserMessage } from './machine/update-kinds.ts';
import type { RepeatableCall } from './prompt-call.ts';
import type { Follow } from './stream.ts';
import { failedTurnError, interruptedTurnError, type PromptAcceptance, type PromptResult } from './turn.ts';

/** The call of a prompt, and who waits for its turn. */
export interface PromptCall extends RepeatableCall {
  /** Called when a loop over the turn is left while the turn runs. */
  cancel(): void;
  readonly signal: AbortSignal | undefined;
  /** Asks the user to log in, and waits for that no longer than the call. */
  readonly logIn: ((error: AuthRequiredError) => Promise<void>) | undefined;
  /** Names the user's call in an error of the turn. */
  readonly withSite: (error: unknown) => unknown;
}

type OpenTurn = ReturnType<typeof openTurn>;

/** What the caller of a prompt waits for. */
export function openTurn(call: PromptCall, caller: Caller) {
  const { logIn, signal, withSite } = call;
  const settled = deferred<PromptResult>();
  const accepted = deferred<PromptAcceptance>();
  const reject = (error: unknown) => {
    const named = withSite(error);
    accepted.reject(named);
    settled.reject(named);
  };
  const fail = (failure: AgentFailure) => {
    const failed = caller.secrets.removeFromError(failedTurnError(failure));
    const end = (error: unknown) => reject(signal?.aborted ? signal.reason : error);
    if (!caller.lacksLogin(failed)) return end(failed);
    void caller.withLoginAdvice(failed).then(async (error) => {
      // An accepted prompt is not sent again. The user logs in all the same, so that the next prompt succeeds.
      if (error instanceof AuthRequiredError) await logIn?.(error).catch(() => {});
      end(error);
    });
  };
  return {
    hasOwnKey: call.hasOwnKey,
    settled: settled.promise,
    accepted: accepted.promise,
    accept: accepted.resolve,
    /** Withdraws the call, and cancels the turn. */
    abandon(): void {
      call.withdrawal.abort();
      call.cancel();
    },
    settle(outcome: TurnOutcome): void {
      if ('result' in outcome) {
        // Without effect where the agent has accepted the prompt.
        accepted.resolve({ messageId: outcome.result.messageId });
        settled.resolve(outcome.result);
      } else if ('failure' in outcome) fail(outcome.failure);
      else if (outcome.acceptance) {
        const error = interruptedTurnError(outcome.error, outcome.acceptance);
        // A message in the queue was not sent.
        reject(outcome.acceptance === 'queued' ? error : failedCall(error, 'session/prompt', caller.link));
      } else reject(outcome.error);
    },
  };
}

/** A turn whose caller waits. */
interface AwaitedTurn {
  readonly turn: OpenTurn;
  /** How much the agent had sent when the turn began. Absent for a message in the queue. */
  readonly sentBefore?: number;
  /** Sends the prompt, for the first time or once more, or the message in the queue. */
  readonly send: () => void;
}

/** The turns of one session whose callers wait: of open prompts, and of messages in the queue. */
export function openTurns(sessionId: string, delivery: EventDelivery, report: DiagnosticListener) {
  /** By the key of the prompt, or by the id of the message in the queue. */
  const turns = new Map<string, AwaitedTurn>();
  /** How much the agent sent that does not only repeat a prompt or say that the agent works. */
  let sent = 0;
  let wasEmpty = false;
  return {
    get: (key: string): AwaitedTurn | undefined => turns.get(key),
    /** A prompt is sent now. */
    begin(key: string, turn: OpenTurn, send: () => void): Follow {
      turns.set(key, { turn, sentBefore: sent, send });
      return delivery.beginTurn(key);
    },
    /** A message waits in the queue. */
    wait(id: string, turn: OpenTurn, send: () => void): void {
      const sendOnce = () => {
        turns.delete(id);
        send();
      };
      turns.set(id, { turn, send: sendOnce });
    },
    /** @param update - `undefined` if it could not be read. */
    updated(update: AnyUpdate | undefined): void {
      if (!update || !(isUserMessage(update) || update.sessionUpdate === 'state_update')) sent++;
    },
    requested(): void {
      sent++;
    },
    settle(key: string, outcome: TurnOutcome): void {
      const open = turns.get(key);
      turns.delete(key);
      delivery.endTurn(key);
      const isDone = 'result' in outcome && outcome.result.stopReason === 'end_turn';
      // The agent may have run a prompt before that the program sends again with its own key.
      const isEmpty = isDone && open?.sentBefore === sent && !open.turn.hasOwnKey;
      // Of consecutive empty turns, only the first is reported.
      if (isEmpty && !wasEmpty) {
        const message = `The agent ended a turn of the session ${JSON.stringify(sessionId)} with end_turn, and sent nothing: no message, no tool call and no other update. The model may have failed: see the agent's stderr. Some agents send the answer with the next turn.`;
        report(warning('session.empty_turn', message));
      }
      wasEmpty = isEmpty;
      open?.turn.settle(outcome);
    },
  };
}

export type OpenTurns = ReturnType<typeof openTurns>;

/** Follows a turn that begins later. */
export function followLater(begun: Promise<Follow>): Follow {
  return (stream) => {
    let isLeft = false;
    let unfollow = () => {};
    void begun.then((follow) => {
      if (!isLeft) unfollow = follow(stream);
    });
    return () => {
      isLeft = true;
      unfollow();
    };
  };
}
