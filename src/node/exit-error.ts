import { type AgentExit, ExitError } from '../errors.ts';
import { lastLines } from '../printable.ts';

/** What the agent did to its channel before it was stopped. */
export type Breach = 'stdout' | 'stdin';

/** What is known of an end beside the exit. */
interface Circumstances {
  readonly breach?: Breach | undefined;
  /** What the agent wrote to stdout, if no message was among it. */
  readonly noise?: string | undefined;
}

const breaches: Readonly<Record<Breach, string>> = {
  stdout: 'closed its output and went on running, so it was stopped',
  stdin: 'closed its input and went on running, so it was stopped',
};

/** The error for an agent that ended when nobody had asked it to. */
export function exitError(
  command: string,
  exit: AgentExit,
  { breach, noise }: Circumstances = {},
): ExitError {
  const moment = noise === undefined ? 'while it was in use' : 'before it sent a message';
  const how = breach === undefined ? `${howItEnded(exit)} ${moment}` : breaches[breach];
  return new ExitError(`The agent "${command}" ${how}. ${lastWords(exit.stderrTail, noise ?? '')}`, exit);
}

function howItEnded({ exitCode, signal }: AgentExit): string {
  return signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
}

function lastWords(stderrTail: string, noise: string): string {
  const lines = lastLines(stderrTail);
  if (lines !== '') return `The last it wrote to stderr:\n${lines}`;
  // A program that was started in the wrong way often says so here: its usage, or that a login is missing.
  const strayLines = lastLines(noise);
  if (strayLines !== '') {
    return `It wrote nothing to stderr, and to stdout, where only messages belong:\n${strayLines}`;
  }
  return 'It wrote nothing to stderr: run the same command in a terminal to see why.';
}
