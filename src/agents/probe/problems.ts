import { errorMessage } from '../../core/base/diagnostic.ts';
import {
  ConnectionClosedError,
  ExitError,
  InvalidMessageError,
  MessageTooLargeError,
  RemoteError,
  SpawnError,
  TimeoutError,
  UnsupportedVersionError,
} from '../../core/base/errors.ts';
import { lastLines } from '../../core/base/printable.ts';
import { spawnFailure } from '../../node/process/spawn-failure.ts';
import type { Launch } from '../../node/process/start-program.ts';
import type { FailedStart } from './steps.ts';

/** The kind of a problem with an agent. Later versions can add kinds. */
export type AgentProblemCode =
  /** There is no such program. */
  | 'program.not_found'
  /** The program exists, and the system cannot start it. */
  | 'program.cannot_start'
  /** The program ended before it answered. */
  | 'program.exited'
  /** `npx` or `uvx` could not download the agent. */
  | 'program.download_failed'
  | 'program.needs_newer_node'
  | 'program.wrong_architecture'
  /** The program did not answer `initialize` in time. */
  | 'agent.no_answer'
  /** The program writes output that is not the protocol. */
  | 'agent.not_acp'
  /** The agent answered `initialize` with an error. */
  | 'agent.refused'
  /** The agent speaks no version of the protocol that this library speaks. */
  | 'protocol.unsupported_version'
  /** The agent answers only if the newest version is not offered. */
  | 'protocol.offer_older_version'
  /** The agent says that it needs a login. */
  | 'login.required'
  /** The agent does not open a session, for another reason than a login. */
  | 'session.failed'
  | 'session.no_answer'
  /** The time of the probe ended before each step was carried out. */
  | 'probe.out_of_time';

/** Something that keeps an agent from working, and what to do about it. */
export interface AgentProblem {
  readonly code: AgentProblemCode;
  /** What happened, with the last lines that the program wrote where they say why. It can have several lines. */
  readonly message: string;
  /** What to do now. It is for the user, unless it names the editor or the author of the agent. */
  readonly remedy: string;
}

type OtherProblemCode = Exclude<AgentProblemCode, 'login.required'>;

/** What is usually done about each kind. The advice about a login depends on the agent. */
const remedies: Readonly<Record<OtherProblemCode, string>> = {
  'program.not_found': 'Install the agent, or correct its command.',
  'program.cannot_start': 'Make the program one that this system can run.',
  'program.exited': 'Run the same command in a terminal, and correct what it reports.',
  'program.download_failed':
    'Check the network, the proxy and the name of the package, and run the same command in a terminal once.',
  'program.needs_newer_node':
    'Install the version of Node.js that the agent needs, and put it first in PATH.',
  'program.wrong_architecture': 'Install a build of the agent for this system and processor.',
  'agent.no_answer':
    'Run the same command in a terminal to see what it waits for. A first start that downloads a package can need a longer time limit. If the command is not that of an ACP agent, correct it, often with an option such as --acp.',
  'agent.not_acp':
    'Correct the command, often with an option such as --acp. If it is right, the author of the agent makes it write nothing but messages to stdout.',
  'agent.refused':
    'Correct what the error names, often a setting or a variable of the agent. If it names nothing, update the agent, or report the error to its author.',
  'protocol.unsupported_version': 'Update the agent, or the editor.',
  'protocol.offer_older_version':
    'The editor passes protocolVersions to connect. The author of the agent answers with an older version instead of an error.',
  'session.failed':
    'Correct what the error names, often the configuration of the agent or its key. If it names nothing, report it to the author of the agent.',
  'session.no_answer':
    'Run the program of the agent in a terminal to see what it waits for, often the network or a login.',
  'probe.out_of_time': 'Allow more time.',
};

/** A problem of this kind, with what is usually done about it. */
export function problem(code: OtherProblemCode, message: string, remedy = remedies[code]): AgentProblem {
  return { code, message, remedy };
}

/** What the last words of a program mean that did not become an agent. The first that matches is used. */
const causes: readonly (readonly [code: OtherProblemCode, words: RegExp])[] = [
  // npm and npx, then uv and uvx.
  [
    'program.download_failed',
    /^npm (?:error|ERR!) code (?:E404|E40[13]|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ETARGET|EHOSTUNREACH)\b|^npm (?:error|ERR!) network |(?:Failed to (?:fetch|download)|No solution found when resolving tool dependencies|not found in the (?:package registry|cache))/m,
  ],
  [
    'program.needs_newer_node',
    /\bUnsupported engine\b|\bERR_UNKNOWN_BUILTIN_MODULE\b|\bNode(?:\.js)?(?: version)? (?:>=|v?\d+(?:\.\d+)* or (?:newer|later|higher))|\brequires? (?:at least )?Node(?:\.js)?\b|does not provide an export named '\w+'\n.*node:/im,
  ],
  [
    'program.wrong_architecture',
    /\bcannot execute(?: binary file)?: |\bExec format error\b|\bBad CPU type in executable\b|\bnot a valid Win32 application\b|^[^\n]*ELF[^\n]*: not found$/m,
  ],
];

/** What the end of a program's stderr says about the reason, as far as it is known. */
export function causeIn(stderrTail: string): OtherProblemCode | undefined {
  return causes.find(([, words]) => words.test(stderrTail))?.[0];
}

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
  if (error instanceof ExitError) return exitProblem(error, launch);
  if (error instanceof UnsupportedVersionError) return problem('protocol.unsupported_version', message);
  if (error instanceof RemoteError) return problem('agent.refused', message);
  if (error instanceof InvalidMessageError || error instanceof MessageTooLargeError) {
    return problem('agent.not_acp', message);
  }
  return problem('program.exited', message);
}

function exitProblem({ message, stderrTail }: ExitError, { args }: Launch): AgentProblem {
  const code = causeIn(stderrTail) ?? 'program.exited';
  if (code !== 'program.exited' || args.some((word) => /^(?:--)?(?:experimental-)?acp$/.test(word))) {
    return problem(code, message);
  }
  const remedy = `${remedies[code]} It must be the command that starts the agent as an ACP agent, often with an option such as --acp.`;
  return problem(code, message, remedy);
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
