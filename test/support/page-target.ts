import { onTestFinished } from 'vitest';
import { emptyConversation } from '../../src/conversation/fold.ts';
import { connectPanel } from '../../src/panel/connect.ts';
import { panelVersion } from '../../src/panel/messages.ts';
import { emptyState, type SentState } from '../../src/panel/whole-state.ts';

const { conversation: _, settings: __, commands: ___, ...empty } = emptyState;

/** The state that the host of a page has sent. */
export const sentState: SentState = { ...empty, initial: null, phase: 'open', sessionId: 's1' };

/** The patch of a conversation. */
export const whole = (patch: unknown) => ({ sessionId: 's1', isWhole: true, patch });
export const part = (patch: unknown) => ({ sessionId: 's1', isWhole: false, patch });
export const set = (path: unknown, value: unknown) => ({ op: 'set', path, value });

/** A copy, because what arrives at a page is not frozen. */
export const noConversation = structuredClone(emptyConversation('s1'));

/** A page whose host is the test. */
export function pageTarget() {
  const listeners = new Set<(message: unknown) => void>();
  const posted: Record<string, unknown>[] = [];
  const errors: unknown[] = [];
  const panel = connectPanel(
    {
      // A page posts objects only.
      post: (message) => void posted.push(message as Record<string, unknown>),
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener) && undefined;
      },
    },
    { onError: (error) => errors.push(error) },
  );
  onTestFinished(() => panel.close());
  const page = posted[0]?.['page'];
  /** Throws if the listener of the page throws. */
  const deliver = (message: unknown) => {
    for (const listener of listeners) listener(message);
  };
  const from = (body: object) => ({ panel: panelVersion, run: 'r', page, have: 0, sent: 9, ...body });
  let number = 0;
  /** A change that has everything. */
  const state = (fields: object = {}, conversation: unknown = null) => {
    number += 10;
    const everything = { base: 0, answers: number, state: { ...sentState, ...fields }, conversation };
    return from({ type: 'change', number, ...everything, results: [] });
  };
  /** A change that follows the last one. */
  const change = (fields: object) => {
    const nothing = { answers: number, state: null, conversation: null, results: [] };
    return from({ type: 'change', number: number + 1, base: number, ...nothing, ...fields });
  };
  return { panel, posted, errors, deliver, from, state, change, listeners };
}
