import { errorMessage } from '../../base/diagnostic.ts';
import {
  ConnectionClosedError,
  ExitError,
  InvalidMessageError,
  MessageTooLargeError,
  RemoteError,
  SpawnError,
  TimeoutError,
  UnsupportedVersionError,
} from '../../base/errors.ts';
import { lastLines } from '../../base/printable.ts';
import type { AuthMethod } from '../../protocol/dialect.ts';
import { spawnFailure } from '../spawn-failure.ts';
import type { Launch } from '../start-program.ts';
import { causeIn } from './exit-causes.ts';
import type { LoginEvidence } from './login.ts';
import { type AgentProblem, problem } from './problem.ts';
import type { FailedStart } from './start.ts';

/** The problem of an agent to which there is no connection. `program` is the file that was found for its command. */
export async function startProblem(
  failed: FailedStart,
  launch: Launch,
  program: string | undefined,
): Promise<AgentProblem> {
  const { error } = failed;
  const message = errorMessage(error);
  if (error instanceof SpawnError) return spawnProblem(error, launch, program);
  if (error instanceof TimeoutError) return silenceProblem(error, failed);
  if (error instanceof ExitError) return problem(causeIn(error.stderrTail) ?? 'program.exited', message);
  if (error instanceof UnsupportedVersionError) return problem('protocol.unsupported_version', message);
  if (error instanceof RemoteError) return problem('agent.refused', message);
  if (error instanceof InvalidMessageError || error instanceof MessageTooLargeError) {
    return problem('agent.not_acp', message);
  }
  return problem('program.exited', message);
}

async function spawnProblem(
  { cause, errno, message, command }: SpawnError,
  launch: Launch,
  program: string | undefined,
): Promise<AgentProblem> {
  // The cause of a failed start is the error of the system.
  const { reason, remedy } = await spawnFailure(cause as NodeJS.ErrnoException, launch);
  const code = errno === 'ENOENT' && program === undefined ? 'program.not_found' : 'program.cannot_start';
  if (remedy === '') return problem(code, message);
  return problem(code, `Could not start "${command}": ${reason}.`, remedy);
}

/** The library's own message ends with advice to a programmer who calls `connect`. */
function silenceProblem({ timeoutMs }: TimeoutError, { stderrTail, noise }: FailedStart): AgentProblem {
  const lines = lastLines(stderrTail);
  const said = lines === '' ? 'It wrote nothing to stderr.' : `The end of its stderr:\n${lines}`;
  if (noise !== undefined) {
    const message = `The program did not answer initialize, and wrote to stdout a text that is not a message: ${noise}\n${said}`;
    return problem('agent.not_acp', message);
  }
  const message = `The program did not answer initialize within ${timeoutMs} ms, and was ended. ${said}`;
  return problem(causeIn(stderrTail) ?? 'agent.no_answer', message);
}

/** The problem of an agent that opened no session, unless it needs a login. */
export function sessionProblem(error: unknown): AgentProblem {
  if (error instanceof TimeoutError) {
    const message = `The agent did not open a session within ${error.timeoutMs} ms.`;
    return problem('session.no_answer', message);
  }
  if (error instanceof ConnectionClosedError) {
    const { cause } = error;
    const what = cause instanceof ExitError ? cause : error;
    return problem('program.exited', `The agent opened no session. ${errorMessage(what)}`);
  }
  return problem('session.failed', errorMessage(error));
}

/** The problem of an agent that needs a login, with the ways to log in that it offers. */
export function loginProblem({ reason }: LoginEvidence, methods: readonly AuthMethod[]): AgentProblem {
  if (methods.length === 0) return problem('login.required', reason);
  const ways = methods.map((method) => `${method.name} (${wayOf(method)})`).join('; ');
  return problem('login.required', reason, `Log in with one of the ways that the agent offers: ${ways}.`);
}

function wayOf({ type, vars = [], args = [], description }: AuthMethod): string {
  if (type === 'agent') return 'in the editor';
  if (type === 'env_var') return `set ${vars.map(({ name }) => name).join(', ')}`;
  if (type !== 'terminal') return description ?? type;
  return `in a terminal, the command of the agent${args.length > 0 ? ` with ${args.join(' ')}` : ''}`;
}

/** The problem of an agent that refused to answer while a newer version was offered. */
export function olderVersionProblem(error: unknown, version: number): AgentProblem {
  const message = `The agent works only if version ${version} of the protocol is offered alone. Otherwise: ${errorMessage(error)}`;
  return problem('protocol.offer_older_version', message);
}

export function outOfTimeProblem(missing: string): AgentProblem {
  return problem('probe.out_of_time', `The time of the probe ended before ${missing}.`);
}
