import type { CancelReason } from './state.ts';

/** What a handler reads in the reason of its signal. */
export const cancelTexts: Readonly<Record<CancelReason, string>> = {
  cancelled: 'The user cancelled.',
  finished: 'The tool call has ended.',
  withdrawn: 'The agent withdrew the request.',
  closed: 'The session is over.',
};
