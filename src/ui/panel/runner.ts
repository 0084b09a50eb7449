import { ListenerSet } from '../../core/base/listeners.ts';
import { Machine } from '../../core/base/machine.ts';
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
  readonly #machine = new Machine<MachineState, PanelEvent, PanelEffect>(initialState);
  /** The state that was described last, and the machine's state from which it was made. */
  #sent: SentState | undefined;
  #sentOf = initialState;

  constructor(actions: readonly string[], performer: EffectPerformer) {
    this.#actions = actions;
    this.#performer = performer;
    this.changes = new ListenerSet((error) => performer.problems.fault(error));
  }

  get state(): MachineState {
    return this.#machine.state;
  }

  /** What the pages show. Parts that are equal keep their identity. */
  get sentState(): SentState {
    if (!this.#sent || this.#sentOf !== this.state) {
      const next = sentState(this.state, this.#actions);
      this.#sent = this.#sent ? keepEqual(this.#sent, next) : next;
      this.#sentOf = this.state;
    }
    return this.#sent;
  }

  /** Passes an event to the state machine and performs the effects. Events that come meanwhile wait their turn. */
  dispatch(event: PanelEvent): void {
    const taken = this.#machine.take(event, transition);
    if (!taken) return;
    for (const { effects } of taken) for (const effect of effects) this.#performer.perform(effect);
    this.changes.notify();
  }
}
