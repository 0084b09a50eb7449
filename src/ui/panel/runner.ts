import { Machine } from '../../core/base/machine.ts';
import { initialState, type MachineState, type PanelEffect, type PanelEvent } from './machine/state.ts';
import { transition } from './machine/transitions.ts';
import { sentState } from './machine/view.ts';
import { keepEqual, type SentState } from './whole-state.ts';

/** Holds the state of a panel, and passes events to the state machine. Nothing else changes the state. */
export class MachineRunner {
  readonly #perform: (effect: PanelEffect) => void;
  readonly #onChange: () => void;
  readonly #actions: readonly string[];
  readonly #machine = new Machine<MachineState, PanelEvent, PanelEffect>(initialState);
  /** The state that was described last, and the machine's state from which it was made. */
  #sent: SentState | undefined;
  #sentOf = initialState;

  /**
   * @param actions - The names of the functions that the editor has.
   * @param onChange - Called when the state may have changed. It does not throw.
   */
  constructor(
    actions: readonly string[],
    perform: (effect: PanelEffect) => void,
    onChange: () => void = () => {},
  ) {
    this.#actions = actions;
    this.#perform = perform;
    this.#onChange = onChange;
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
    for (const { effects } of taken) effects.forEach(this.#perform);
    this.#onChange();
  }
}
