import { ListenerSet } from '../../core/base/listeners.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { Change } from './messages.ts';
import type { PanelState } from './state.ts';
import { emptyState, fold, type SentState, withConversation, withQuestions } from './whole-state.ts';

/** What a page adds to the state of its host. */
type Own = Pick<PanelState, 'draft'> & Partial<Pick<PanelState, 'phase' | 'problem'>>;

/** What a page shows: what its host has sent, and its own. The listeners know the state that was drawn last. */
export function pageView(onListenerError: (error: unknown) => void) {
  const listeners = new ListenerSet<[]>(onListenerError);
  let sent: SentState | undefined;
  let conversation: Conversation | null = null;
  let state = emptyState;
  let drawn = emptyState;
  return {
    get state(): PanelState {
      return state;
    },

    isDrawn: () => state === drawn,

    subscribe: (listener: () => void) => listeners.add(listener),

    /**
     * Takes what its host has sent, and returns the draft of the host.
     *
     * @throws if the parts do not fit to what is shown. Then nothing has changed.
     */
    take({ base, state: next, conversation: part }: Change): string {
      const known = next ? withQuestions(next, sent) : sent;
      if (!known || (base === 0 && !next)) throw new TypeError('The first change has no state.');
      const shown = known.sessionId === sent?.sessionId ? conversation : null;
      conversation = part ? fold(part, shown) : shown;
      sent = known;
      return known.draft;
    },

    /** Makes the state. The listeners learn of it when it is drawn. */
    update(own: Own): void {
      state = withConversation(state, { ...sent, ...own }, conversation);
    },

    draw(): void {
      if (state === drawn) return;
      drawn = state;
      listeners.notify();
    },
  };
}
