import { onTestFinished } from 'vitest';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import { connectPanel } from '../../src/ui/panel/connect.ts';
import { panelVersion } from '../../src/ui/panel/messages.ts';
import { emptyState, type SentState } from '../../src/ui/panel/whole-state.ts';

const { conversation: _, settings: __, commands: ___, ...empty } = emptyState;

/** The state that the host of a page has sent. */
export const sentState: SentState = { ...empty, phase: 'open', sessionId: 's1' };

/** The patch of a conversation. */
export const whole = (patch: unknown) => ({ isWhole: true, patch });
export const part = (patch: unknown) => ({ isWhole: false, patch });
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
  const from = (body: object) => ({ panel: panelVersion, run: 'r', page, draft: 0, ...body });
  let number = 0;
  const nothing = () => ({
    type: 'change',
    answers: number,
    maxCharacters: 100_000,
    state: null,
    conversation: null,
    results: [],
  });
  /** A change that has everything. */
  const state = (fields: object = {}, conversation: unknown = null) => {
    number += 10;
    const everything = { base: 0, state: { ...sentState, ...fields }, conversation };
    return from({ ...nothing(), number, ...everything });
  };
  /** A change that follows the last one. */
  const change = (fields: object) => {
    return from({ ...nothing(), number: number + 1, base: number, ...fields });
  };
  return { panel, posted, errors, deliver, from, state, change, listeners };
}
