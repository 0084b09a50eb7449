import { type Asked, QuestionDesk } from '../questions/desk.ts';
import { refused } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import type { PanelAnswer, PanelQuestion } from './state.ts';

/** A question of the agent, and how its answer is read. */
export interface AgentQuestion<Outcome> extends Asked<Outcome> {
  readonly question: PanelQuestion;
  /** Reads the answer of a page, or throws a refusal: the question then stays open. */
  readonly read: (answer: PanelAnswer) => Outcome | Promise<Outcome>;
  /** The id that the agent gave to a question by URL. */
  readonly elicitationId?: string;
}

/** The questions that the machine shows, and the promises of those who asked. */
export class OpenQuestions {
  readonly #desk: QuestionDesk<unknown, AgentQuestion<unknown>>;
  /** The questions whose answer is being read: a login takes time. */
  readonly #answering = new Set<string>();
  #count = 0;

  constructor(runner: MachineRunner) {
    this.#desk = new QuestionDesk({
      asked: ({ question }) => runner.dispatch({ type: 'asked', question }),
      settled: (id) => runner.dispatch({ type: 'settled', id }),
    });
  }

  /** An id for a question that was not used before. */
  nextId(): string {
    return `q${++this.#count}`;
  }

  /** Puts a question to the user. */
  ask<Outcome>(asked: AgentQuestion<Outcome>): Promise<Outcome> {
    // It is settled with what its own functions return.
    return this.#desk.ask(asked) as Promise<Outcome>;
  }

  /** @throws a refusal if the question is not open or does not have the answer. */
  async answer(id: string, answer: PanelAnswer): Promise<void> {
    const asked = this.#desk.find(id);
    if (!asked) {
      throw refused('The question is not open any more: it was answered, or the agent withdrew it.');
    }
    if (this.#answering.has(id)) throw refused('The question is being answered. Wait for the result.');
    this.#answering.add(id);
    try {
      this.#desk.settle(id, await asked.read(answer));
    } finally {
      this.#answering.delete(id);
    }
  }

  /** The user logged in without answering the questions for it. */
  loggedIn(outcome: unknown): void {
    this.#settle(({ question }) => question.kind === 'login', outcome);
  }

  /** The user did outside of the panel what a question by URL asked for. */
  urlCompleted(elicitationId: string): void {
    this.#settle((asked) => asked.elicitationId === elicitationId, { action: 'accept' });
  }

  /** Settles a question without the user. */
  withdraw(id: string): void {
    this.#desk.withdraw(id);
  }

  #settle(isMeant: (asked: AgentQuestion<unknown>) => boolean, outcome: unknown): void {
    for (const { question } of this.#desk.items.filter(isMeant)) this.#desk.settle(question.id, outcome);
  }
}
