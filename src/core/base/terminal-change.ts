import type { ProcessExit } from './process-exit.ts';

/** A change of a terminal that the client runs. */
export type TerminalChange =
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'exit'; readonly exitStatus: ProcessExit }
  | { readonly type: 'release' };
