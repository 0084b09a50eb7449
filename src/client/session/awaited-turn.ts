import { type AcpError, AuthRequiredError } from '../../base/errors.ts';
import { deferred } from '../../base/wait.ts';
import type { PromptAnswer } from '../../model/opening.ts';
import type { AgentFailure, TurnOutcome } from './machine/state.ts';
import { interruptedTurnError, type PromptAcceptance, type PromptResult } from './turn.ts';

/** The call of a prompt. */
export interface PromptCall {
  send(): Promise<PromptAnswer>;
  /** Called when a loop over the turn is left while the turn runs. */
  cancel(): void;
  readonly signal: AbortSignal | undefined;
  /** Asks the user to log in, and waits for that no longer than the call. */
  readonly logIn: (() => Promise<void>) | undefined;
  /** Names the user's call in an error of the turn. */
  withSite(error: unknown): unknown;
}

/** What the caller of a prompt waits for. */
export class OpenTurn {
  readonly #settled = deferred<PromptResult>();
  readonly #accepted = deferred<PromptAcceptance>();
  readonly settled = this.#settled.promise;
  readonly accepted = this.#accepted.promise;
  readonly #call: PromptCall;
  readonly #errorOf: (failure: AgentFailure) => AcpError;

  /** @param errorOf - Makes the error of a turn that the agent accepted and then reported as failed. */
  constructor(call: PromptCall, errorOf: (failure: AgentFailure) => AcpError) {
    this.#call = call;
    this.#errorOf = errorOf;
  }

  accept(acceptance: PromptAcceptance): void {
    this.#accepted.resolve(acceptance);
  }

  settle(outcome: TurnOutcome): void {
    if ('result' in outcome) {
      // Without effect where the agent has accepted the prompt.
      this.#accepted.resolve({ messageId: outcome.result.messageId });
      this.#settled.resolve(outcome.result);
    } else if ('failure' in outcome) this.#fail(this.#errorOf(outcome.failure));
    else if (outcome.acceptance) this.#reject(interruptedTurnError(outcome.error, outcome.acceptance));
    else this.#reject(outcome.error);
  }

  #fail(error: AcpError): void {
    const { logIn, signal } = this.#call;
    const reject = () => this.#reject(signal?.aborted ? signal.reason : error);
    // An accepted prompt is not sent again. The user logs in all the same, so that the next prompt succeeds.
    if (error instanceof AuthRequiredError && logIn) logIn().then(reject, reject);
    else reject();
  }

  #reject(error: unknown): void {
    const named = this.#call.withSite(error);
    this.#accepted.reject(named);
    this.#settled.reject(named);
  }
}
