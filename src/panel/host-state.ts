import { ListenerSet } from '../listeners.ts';
import type { Conversation } from '../model/conversation.ts';
import { emptyState, keepEqual, type PanelState, type SentState, withConversation } from './state.ts';

const { conversation: _, settings: __, commands: ___, ...emptySent } = emptyState;

/** The state of the host: what it sends to the pages, and what it shows to the program around it. */
export class HostState {
  readonly #listeners: ListenerSet<[]>;
  readonly #conversation: () => Conversation | null;
  readonly #onChange: () => void;
  #sent: SentState;
  #whole: PanelState = emptyState;
  #announced: PanelState = emptyState;

  /**
   * @param conversation - The conversation that is shown now.
   * @param onChange - Called after each change of the parts.
   * @param onError - Takes the error of a listener.
   */
  constructor(
    actions: readonly string[],
    conversation: () => Conversation | null,
    onChange: () => void,
    onError: (error: unknown) => void,
  ) {
    this.#sent = Object.freeze({ ...emptySent, phase: 'starting', actions });
    this.#conversation = conversation;
    this.#onChange = onChange;
    this.#listeners = new ListenerSet(onError);
  }

  /** What is sent to the pages. */
  get sent(): SentState {
    return this.#sent;
  }

  get whole(): PanelState {
    this.#whole = withConversation(this.#whole, this.#sent, this.#conversation());
    return this.#whole;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  change(parts: Partial<SentState>): void {
    const next = keepEqual(this.#sent, { ...this.#sent, ...parts });
    if (next === this.#sent) return;
    this.#sent = next;
    this.#onChange();
  }

  /** Calls the listeners if something has changed since they were called last. */
  announce(): void {
    const { whole } = this;
    if (whole === this.#announced) return;
    this.#announced = whole;
    this.#listeners.notify();
  }
}
