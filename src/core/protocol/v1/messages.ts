/** The types of what version 1 sends, from all pages with a method that `requests.ts` names. */

export type * from './authentication.ts';
export type * from './prompt-turn.ts';
export type * from './session-config-options.ts';
export type * from './session-modes.ts';
export type * from './session-setup.ts';
export type * from './unstable.ts';
