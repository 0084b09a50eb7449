import { type AgentExit, ExitError } from '../../core/base/errors.ts';
import { lastLines } from '../../core/base/printable.ts';
import { describeExit } from '../../core/base/process-exit.ts';

/** A standard stream that the agent closed while it went on running. */
export type ClosedStream = 'stdin' | 'stdout';

const sides: Readonly<Record<ClosedStream, string>> = { stdin: 'input', stdout: 'output' };

/**
 * The error for an agent that ended although the client did not close it.
 *
 * @param closedStream - Absent if the agent ended by itself. Otherwise the agent was stopped because it closed this
 *   stream.
 * @param strayOutput - What the agent wrote to stdout. Absent if it sent a message.
 */
export function exitError(
  command: string,
  exit: AgentExit,
  closedStream?: ClosedStream,
  strayOutput?: string,
): ExitError {
  const when = strayOutput === undefined ? 'while it was in use' : 'before it sent a message';
  const what =
    closedStream === undefined
      ? `${describeExit(exit)} ${when}`
      : `closed its ${sides[closedStream]} and went on running, so it was stopped`;
  // An agent that was stopped got its signal from this library.
  const signal = closedStream === undefined ? exit.signal : null;
  const details =
    lastOutput(exit.stderrTail, strayOutput ?? '') ?? `It wrote nothing to stderr${advice(signal)}`;
  return new ExitError(`The agent "${command}" ${what}. ${details}`, exit);
}

function lastOutput(stderrTail: string, strayOutput: string): string | undefined {
  const stderrLines = lastLines(stderrTail);
  if (stderrLines !== '') return `The end of its stderr:\n${stderrLines}`;
  // Programs that are started with wrong arguments often print their usage to stdout.
  const stdoutLines = lastLines(strayOutput);
  if (stdoutLines === '') return undefined;
  return `It wrote nothing to stderr, and to stdout, where only messages belong:\n${stdoutLines}`;
}

/** The signals of a fault in the program itself. Others come from outside. */
const faults = /^SIG(?:ABRT|BUS|FPE|ILL|SEGV|SYS|TRAP)$/;

/** What to do about the end of an agent that says nothing. */
function advice(signal: string | null): string {
  if (signal === null) return ': run the same command in a terminal to see why.';
  if (faults.test(signal)) return '. This is a fault in the agent: report it to its author.';
  const who = 'A user or another program ended it';
  if (signal !== 'SIGKILL') return `. ${who}.`;
  return `. ${who}, or the system because it had no memory left: see the log of the system.`;
}
