import { ListenerSet } from '../../core/base/listeners.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { Change } from './messages.ts';
import type { PanelState } from './state.ts';
import { emptyState, fold, type SentState, withConversation, withQuestions } from './whole-state.ts';

/** What a page adds to the state of its host. */
type Own = Pick<PanelState, 'draft'> & Partial<Pick<PanelState, 'phase' | 'problem'>>;

/** What a page shows: what its host has sent, and its own. The listeners know the state that was drawn last. */
export class PageView {
  readonly #listeners: ListenerSet<[]>;
  #sent: SentState | undefined;
  #conversation: Conversation | null = null;
  #state: PanelState = emptyState;
  #drawn: PanelState = emptyState;

  constructor(onListenerError: (error: unknown) => void) {
    this.#listeners = new ListenerSet(onListenerError);
  }

  get state(): PanelState {
    return this.#state;
  }

  get isDrawn(): boolean {
    return this.#state === this.#drawn;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Takes what its host has sent, and returns the draft of the host.
   *
   * @throws if the parts do not fit to what is shown. Then nothing has changed.
   */
  take({ base, state, conversation: part }: Change): string {
    const sent = state ? withQuestions(state, this.#sent) : this.#sent;
    if (!sent || (base === 0 && !state)) throw new TypeError('The first change has no state.');
    const shown = sent.sessionId === this.#sent?.sessionId ? this.#conversation : null;
    this.#conversation = part ? fold(part, shown) : shown;
    this.#sent = sent;
    return sent.draft;
  }

  /** Makes the state. The listeners learn of it when it is drawn. */
  update(own: Own): void {
    this.#state = withConversation(this.#state, { ...this.#sent, ...own }, this.#conversation);
  }

  draw(): void {
    if (this.isDrawn) return;
    this.#drawn = this.#state;
    this.#listeners.notify();
  }
}
