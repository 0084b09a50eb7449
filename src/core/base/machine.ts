import { Queue } from './queue.ts';

/** What an event made of a state: the next state, and what is to be done. */
export interface Transition<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** An event that was taken: the state before it, and what is to be done now. */
export interface Taken<State, Event, Effect> {
  readonly event: Event;
  readonly before: State;
  readonly effects: readonly Effect[];
}

/** Holds a state that only events change, one after the other. The owner performs the effects. */
export class Machine<State, Event extends object, Effect> {
  readonly #waiting = new Queue<Event>();
  #state: State;
  #isTaking = false;

  constructor(initial: State) {
    this.#state = initial;
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Takes an event, and those that come while its effects are performed. Loop over the result to its end.
   *
   * @param transition - Pure: it says what an event makes of a state.
   * @returns `undefined` if events are being taken: this one waits its turn, in the loop that runs.
   */
  take(
    event: Event,
    transition: (state: State, event: Event) => Transition<State, Effect>,
  ): Iterable<Taken<State, Event, Effect>> | undefined {
    this.#waiting.add(event);
    if (this.#isTaking) return undefined;
    this.#isTaking = true;
    return this.#takeAll(transition);
  }

  *#takeAll(
    transition: (state: State, event: Event) => Transition<State, Effect>,
  ): Generator<Taken<State, Event, Effect>> {
    try {
      for (let event = this.#waiting.take(); event; event = this.#waiting.take()) {
        const before = this.#state;
        const { state, effects } = transition(before, event);
        this.#state = state;
        yield { event, before, effects };
      }
    } finally {
      this.#isTaking = false;
    }
  }
}
