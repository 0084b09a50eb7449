import { type AgentExit, ExitError } from '../errors.ts';
import { lastLines } from '../printable.ts';

/** What the agent did to its channel before it was stopped. */
export type Breach = 'stdout' | 'stdin';

const breaches: Readonly<Record<Breach, string>> = {
  stdout: 'closed its output and went on running, so it was stopped',
  stdin: 'closed its input and went on running, so it was stopped',
};

/** The error for an agent that ended when nobody had asked it to. */
export function exitError(command: string, exit: AgentExit, breach?: Breach): ExitError {
  const how = breach === undefined ? howItEnded(exit) : breaches[breach];
  const lines = lastLines(exit.stderrTail);
  const why =
    lines === ''
      ? 'It wrote nothing to stderr: run the same command in a terminal to see why.'
      : `The last it wrote to stderr:\n${lines}`;
  return new ExitError(`The agent "${command}" ${how}. ${why}`, exit);
}

function howItEnded({ exitCode, signal }: AgentExit): string {
  return signal === null
    ? `exited with code ${exitCode} while it was in use`
    : `was ended by ${signal} while it was in use`;
}
