import { onAbort } from '../../core/base/wait.ts';

/** A question that is put to a user. */
export interface Asked<Outcome> {
  readonly question: { readonly id: string };
  /** The outcome if the agent does not wait for the answer any more. */
  readonly cancelled: Outcome;
  readonly signal?: AbortSignal | undefined;
}

/** Whom a desk tells of its questions. */
export interface DeskListener<Item> {
  readonly asked: (item: Item) => void;
  readonly settled: (id: string) => void;
}

/** The questions that wait for a user. Each is settled once: with an answer, or because the agent withdrew it. */
export class QuestionDesk<Outcome, Item extends Asked<Outcome>> {
  readonly #listener: DeskListener<Item>;
  readonly #waiting = new Map<string, { readonly item: Item; settle(outcome: Outcome): void }>();

  constructor(listener: DeskListener<Item>) {
    this.#listener = listener;
  }

  get items(): readonly Item[] {
    return [...this.#waiting.values()].map(({ item }) => item);
  }

  find(id: string): Item | undefined {
    return this.#waiting.get(id)?.item;
  }

  ask(item: Item): Promise<Outcome> {
    const { question, signal } = item;
    const { id } = question;
    return new Promise((resolve) => {
      const stopListening = onAbort(signal, () => this.withdraw(id));
      const settle = (outcome: Outcome) => {
        stopListening();
        resolve(outcome);
      };
      this.#waiting.set(id, { item, settle });
      this.#listener.asked(item);
      if (signal?.aborted) this.withdraw(id);
    });
  }

  /** Without effect if the question does not wait any more. */
  settle(id: string, outcome: Outcome): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.settle(outcome);
    this.#listener.settled(id);
  }

  /** Settles a question without the user. */
  withdraw(id: string): void {
    const item = this.find(id);
    if (item) this.settle(id, item.cancelled);
  }
}
