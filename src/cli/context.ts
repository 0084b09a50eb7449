import type { DiagnosticListener } from '../diagnostic.ts';
import type { Interrupts } from './interrupts.ts';
import type { Output } from './output.ts';

/** What a command works with. */
export interface Context {
  readonly host: NodeJS.Process;
  readonly output: Output;
  readonly interrupts: Interrupts;
  /** Tells the user what is wrong with the agent and nobody awaits. */
  readonly report: DiagnosticListener;
}
