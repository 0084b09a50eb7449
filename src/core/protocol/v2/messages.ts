/** The types of what version 2 sends, from all pages with a method that `requests.ts` names. */

export type * from './authentication.ts';
export type * from './prompt-lifecycle.ts';
export type * from './session-config-options.ts';
export type * from './session-setup.ts';
export type * from './tool-calls.ts';
export type * from './unstable.ts';
