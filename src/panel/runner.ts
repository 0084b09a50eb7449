import { ListenerSet } from '../base/listeners.ts';
import { initialState, type MachineState, type PanelEffect, type PanelEvent } from './machine/state.ts';
import { transition } from './machine/transitions.ts';
import { sentState } from './machine/view.ts';
import { keepEqual, type SentState } from './whole-state.ts';

/** What performs the effects of a panel's state machine. */
export interface EffectPerformer {
  perform(effect: PanelEffect): void;
  /** Where the error of a function of the editor goes. */
  readonly problems: { fault(error: unknown): void };
}

/** Holds the state of a panel, and passes events to the state machine. Nothing else changes the state. */
export class MachineRunner {
  /** Called when the state may have changed. */
  readonly changes: ListenerSet<[]>;
  readonly #performer: EffectPerformer;
  readonly #actions: readonly string[];
  #state = initialState;
  #events: PanelEvent[] = [];
  #isDispatching = false;
  /** The state that was described last, and the machine's state from which it was made. */
  #sent: SentState | undefined;
  #sentOf = initialState;

  constructor(actions: readonly string[], performer: EffectPerformer) {
    this.#actions = actions;
    this.#performer = performer;
    this.changes = new ListenerSet((error) => performer.problems.fault(error));
  }

  get state(): MachineState {
    return this.#state;
  }

  /** What the pages show. Parts that are equal keep their identity. */
  get sentState(): SentState {
    if (!this.#sent || this.#sentOf !== this.#state) {
      const next = sentState(this.#state, this.#actions);
      this.#sent = this.#sent ? keepEqual(this.#sent, next) : next;
      this.#sentOf = this.#state;
    }
    return this.#sent;
  }

  /** Passes an event to the state machine and performs the effects. Events that come meanwhile wait their turn. */
  dispatch(event: PanelEvent): void {
    this.#events.push(event);
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { state, effects } = transition(this.#state, next);
        this.#state = state;
        for (const effect of effects) this.#performer.perform(effect);
      }
    } finally {
      this.#isDispatching = false;
    }
    this.changes.notify();
  }
}
