import type { DiagnosticListener } from '../../base/diagnostic.ts';
import { type AcpError, AuthRequiredError } from '../../base/errors.ts';
import type { Caller } from '../calls/calls.ts';
import { OpenTurn, type PromptCall } from './awaited-turn.ts';
import { EmptyTurns } from './empty-turns.ts';
import type { EventDelivery } from './event-delivery.ts';
import type { AgentFailure, TurnOutcome } from './machine/state.ts';
import type { Follow } from './stream.ts';
import { failedTurnError, type PromptAcceptance } from './turn.ts';

/** What the turns need of their connection. */
export interface TurnEnvironment {
  readonly report: DiagnosticListener;
  readonly caller: Caller;
}

/** The turns of one session whose callers wait: of open prompts, and of messages in the queue. */
export class OpenTurns {
  readonly #sessionId: string;
  readonly #delivery: EventDelivery;
  readonly #environment: TurnEnvironment;
  /** Is told what the agent sends. */
  readonly empty = new EmptyTurns();
  /** By the key of the prompt, or by the id of the message in the queue. */
  readonly #turns = new Map<string, OpenTurn>();
  /** Sends a message of the queue, by its id. */
  readonly #senders = new Map<string, () => void>();

  constructor(sessionId: string, delivery: EventDelivery, environment: TurnEnvironment) {
    this.#sessionId = sessionId;
    this.#delivery = delivery;
    this.#environment = environment;
  }

  /** What the caller of a prompt waits for. */
  open(call: PromptCall): OpenTurn {
    return new OpenTurn(call, (failure) => this.#failedTurnError(failure));
  }

  /** A prompt is sent now. */
  begin(key: string, turn: OpenTurn): Follow {
    this.#turns.set(key, turn);
    this.empty.begin(key);
    return this.#delivery.beginTurn(key);
  }

  /** A message waits in the queue, until {@link OpenTurns.send} is called. */
  wait(id: string, turn: OpenTurn, send: () => void): void {
    this.#turns.set(id, turn);
    this.#senders.set(id, send);
  }

  send(id: string): void {
    const send = this.#senders.get(id);
    this.#forget(id);
    send?.();
  }

  accept(key: string, acceptance: PromptAcceptance): void {
    this.#turns.get(key)?.accept(acceptance);
  }

  settle(key: string, outcome: TurnOutcome): void {
    const turn = this.#turns.get(key);
    this.#forget(key);
    this.#delivery.endTurn(key);
    const stopReason = 'result' in outcome ? outcome.result.stopReason : null;
    if (this.empty.end(key, stopReason)) this.#reportEmptyTurn();
    turn?.settle(outcome);
  }

  #forget(key: string): void {
    this.#turns.delete(key);
    this.#senders.delete(key);
  }

  #reportEmptyTurn(): void {
    const message = `The agent ended a turn of the session ${JSON.stringify(this.#sessionId)} with end_turn, and sent nothing: no message, no tool call and no other update. The model may have failed: see the agent's stderr. Some agents send the answer with the next turn.`;
    this.#environment.report({ rule: 'session.empty_turn', severity: 'warning', message });
  }

  #failedTurnError(failure: AgentFailure): AcpError {
    const { caller } = this.#environment;
    const error = caller.secrets.removeFromError(failedTurnError(failure));
    return error instanceof AuthRequiredError ? caller.withLoginAdvice(error) : error;
  }
}

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
