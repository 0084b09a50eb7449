import { onAbort } from '../base/wait.ts';
import { refused } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import type { PanelAnswer, PanelQuestion } from './state.ts';

/** A question as it is put to the user. */
export interface Asked<Outcome> {
  readonly question: PanelQuestion;
  /** Reads the answer of a page, or throws a refusal: the question then stays open. */
  readonly read: (answer: PanelAnswer) => Outcome | Promise<Outcome>;
  /** The outcome if the agent does not wait for the answer any more. */
  readonly cancelled: Outcome;
  readonly signal?: AbortSignal | undefined;
  /** The id that the agent gave to a question by URL. */
  readonly elicitationId?: string;
}

/** A question that waits for the user, with what settles it. */
interface Waiting {
  readonly asked: Asked<unknown>;
  settle(outcome: unknown): void;
}

/** The promises of the questions that the machine has open. */
export class OpenQuestions {
  readonly #runner: MachineRunner;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(runner: MachineRunner) {
    this.#runner = runner;
  }

  /** An id for a question that was not used before. */
  nextId(): string {
    return `q${++this.#count}`;
  }

  /** Puts a question to the user. */
  ask<Outcome>(asked: Asked<Outcome>): Promise<Outcome> {
    const { question, signal } = asked;
    const { id } = question;
    return new Promise<Outcome>((resolve) => {
      const withdraw = () => this.#runner.dispatch({ type: 'withdrawn', id });
      const stopListening = onAbort(signal, withdraw);
      const settle = (outcome: unknown) => {
        this.#waiting.delete(id);
        stopListening();
        // It is settled with what its own functions return.
        resolve(outcome as Outcome);
      };
      this.#waiting.set(id, { asked, settle });
      this.#runner.dispatch({ type: 'asked', question });
      if (signal?.aborted) withdraw();
    });
  }

  /** @throws a refusal if the question is not open or does not have the answer. */
  async answer(id: string, answer: PanelAnswer): Promise<void> {
    const { asked, settle } = await this.#toAnswer(id);
    try {
      const outcome = await asked.read(answer);
      this.#runner.dispatch({ type: 'answered', id, settle: () => settle(outcome) });
    } catch (error) {
      this.#runner.dispatch({ type: 'answer_refused', id });
      throw error;
    }
  }

  /** The user logged in without answering the questions for it. */
  loggedIn(outcome: unknown): void {
    this.#settle(({ asked }) => asked.question.kind === 'login', outcome);
  }

  /** The user did outside of the panel what a question by URL asked for. */
  urlCompleted(elicitationId: string): void {
    this.#settle(({ asked }) => asked.elicitationId === elicitationId, { action: 'accept' });
  }

  /** Settles a question without the user. */
  withdraw(id: string): void {
    const waiting = this.#waiting.get(id);
    waiting?.settle(waiting.asked.cancelled);
  }

  #toAnswer(id: string): Promise<Waiting> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id);
      const refuse = (reason: keyof typeof refusals) => reject(refused(refusals[reason]));
      const read = () => (waiting ? resolve(waiting) : refuse('gone'));
      this.#runner.dispatch({ type: 'answer', id, read, refuse });
    });
  }

  #settle(isMeant: (waiting: Waiting) => boolean, outcome: unknown): void {
    for (const { asked, settle } of [...this.#waiting.values()].filter(isMeant)) {
      this.#runner.dispatch({ type: 'answered', id: asked.question.id, settle: () => settle(outcome) });
    }
  }
}

const refusals = {
  gone: 'The question is not open any more: it was answered, or the agent withdrew it.',
  busy: 'The question is being answered. Wait for the result.',
};
