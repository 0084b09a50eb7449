import { errorMessage } from '../../core/base/diagnostic.ts';
import {
  AcpError,
  type AcpErrorCode,
  AgentProcessError,
  AuthRequiredError,
  CapabilityError,
  ConnectionClosedError,
  HttpError,
  NotFoundError,
  ProtocolError,
  RemoteError,
  TimeoutError,
} from '../../core/base/errors.ts';
import { lastLines } from '../../core/base/printable.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { TranscriptError } from '../../records/transcripts/transcript-error.ts';

export const exitCodes = {
  done: 0,
  bug: 1,
  usage: 2,
  capability: 3,
  remote: 4,
  agent: 5,
  refused: 6,
  interrupted: 130,
} as const;

/** A command failed. The message is complete: it may have several lines, and agent text in it is on one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The user can correct what failed: the command line, or a file that it names. */
export function usageError(message: string): CommandError {
  return new CommandError(message, exitCodes.usage);
}

/** The error for a file without a record. */
export function notRecording(file: string): CommandError {
  return usageError(
    `${file} is not a recording: no line has the form {"dir":"in","t":0,"msg":{…}}. --trace FILE writes one. "inspect --web FILE" shows a saved transcript, and "history print" prints it.`,
  );
}

const byErrorCode: Readonly<Record<AcpErrorCode, number>> = {
  'usage.params': exitCodes.usage,
  'usage.capability': exitCodes.capability,
  remote: exitCodes.remote,
  'remote.auth_required': exitCodes.remote,
  'remote.not_found': exitCodes.remote,
  'remote.method_not_found': exitCodes.remote,
  'remote.cancelled': exitCodes.remote,
  // The agent has already ended.
  'usage.state': exitCodes.agent,
  'protocol.message': exitCodes.agent,
  'protocol.version': exitCodes.agent,
  'protocol.message_too_large': exitCodes.agent,
  'connection.closed': exitCodes.agent,
  timeout: exitCodes.agent,
  'agent.spawn': exitCodes.agent,
  'agent.exit': exitCodes.agent,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  // The user named the transcript, or the directory.
  if (error instanceof TranscriptError) return exitCodes.usage;
  if (!AcpError.is(error)) return exitCodes.bug;
  return byErrorCode[error.code];
}

/**
 * Text for the user: what happened and what to do. What an agent sent is on one line. What it wrote to stderr keeps
 * its lines, and they are indented.
 */
export function explain(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  if (error instanceof TranscriptError) return withoutCall(error.message);
  if (error instanceof CapabilityError) return explainMissing(error);
  if (error instanceof TimeoutError) return explainTimeout(error);
  if (error instanceof ConnectionClosedError) return explainClosed(error);
  // Its message ends with the lines that the agent wrote to stderr.
  if (error instanceof AgentProcessError) return indentRest(error.message);
  if (error instanceof RemoteError) return explainRefusal(error);
  if (AcpError.is(error)) return cleanLine(withoutCall(error.message));
  const stack = error instanceof Error ? (error.stack ?? error.message) : errorMessage(error);
  return `This is a bug in acp-client-sdk. Please report it: ${indentRest(stack)}`;
}

/** What the library says to a programmer, and what the user of a command line reads instead. */
const translations: readonly (readonly [from: string | RegExp, to: string])[] = [
  // The function and the method that a message begins with.
  [/^\w+: (?:[\w/]+: )?/, ''],
  ['in the option headers', 'with --token-env or --header'],
  [/, or pass allowPlainHttp.*/, '.'],
  ['`list` has the ids of those that exist.', '"npx acp-client-sdk history" lists those that exist.'],
  ['with `remove`', 'with "npx acp-client-sdk history remove"'],
  ['Pass a directory that this user can write.', '--directory names another one.'],
];

/** A message of the library for the user of a command line, who calls no function. */
export function withoutCall(message: string): string {
  return translations.reduce((text, [from, to]) => text.replace(from, to), message);
}

/** What a command wants from the agent when it calls a method. The user of a command line calls none. */
const purposes: Readonly<Record<string, string>> = {
  initialize: 'connect',
  'session/new': 'open a session',
  'session/load': 'open the session',
  'session/resume': 'open the session',
  'session/list': 'list its sessions',
  'session/prompt': 'take the turn',
  'session/set_config_option': 'change the setting',
  'session/set_mode': 'change the mode',
  'session/set_model': 'change the model',
};

function purposeOf(method: string | undefined): string {
  return (method !== undefined && purposes[method]) || `do ${method ?? 'it'}`;
}

/** The library's own message names the method, and ends with advice to a programmer. */
function explainRefusal(error: RemoteError): string {
  const { method, rpcCode, agentMessage } = error;
  if (error instanceof HttpError || method === undefined) return cleanLine(withoutCall(error.message));
  const said = cleanLine(agentMessage || 'no reason').replace(/\.$/, '');
  const what = error.promptAccepted ? 'The turn failed' : `The agent refused to ${purposeOf(method)}`;
  const refusal = `${what}: ${said} (error ${rpcCode}).`;
  if (error instanceof AuthRequiredError)
    return `${refusal} ${cleanLine(error.advice)} "doctor" with the same agent checks the login.`;
  if (error instanceof NotFoundError && method !== 'session/prompt')
    return `${refusal} "sessions" with the same agent lists the sessions that it keeps.`;
  return refusal;
}

/** The library's own message ends with advice to a programmer. */
function explainMissing({ method, missing }: CapabilityError): string {
  const reasons = cleanLine(...new Set(missing.map(({ reason }) => reason)));
  return `The agent cannot ${purposeOf(method)}: ${reasons} Nothing was sent. "inspect" with the same agent shows what it supports.`;
}

function explainTimeout({ method, timeoutMs }: TimeoutError): string {
  // A turn has no limit on its duration, only on the time without a message.
  const what =
    method === 'session/prompt'
      ? `said nothing for ${timeoutMs} ms, and its turn has not ended`
      : `did not ${purposeOf(method)} within ${timeoutMs} ms`;
  return `The agent ${what}. Set a longer --timeout to wait longer.`;
}

/** The library's own message ends with advice to a programmer. The cause says how the program ended. */
function explainClosed({ method, message, cause }: ConnectionClosedError): string {
  if (method === undefined || !AcpError.is(cause)) return indentRest(withoutCall(message));
  const when =
    method === 'session/prompt' ? 'during the turn' : `before the agent could ${purposeOf(method)}`;
  return `The connection ended ${when}. ${explain(cause)}`;
}

/** The error of a command whose agent ran: its text has the end of what the agent wrote to stderr. */
export function agentFailure(cause: unknown, stderrTail: string | undefined): CommandError {
  return new CommandError(explain(cause) + stderrOf(cause, stderrTail), exitCodeOf(cause));
}

/**
 * Other errors contain the end of stderr already, or are an answer from the agent.
 *
 * @param stderrTail - `undefined` for an agent that another machine runs, or that was not started.
 */
function stderrOf(cause: unknown, stderrTail: string | undefined): string {
  const isTimeout = cause instanceof TimeoutError;
  if (stderrTail === undefined || !(isTimeout || cause instanceof ProtocolError)) return '';
  const lines = lastLines(stderrTail);
  if (lines !== '') return indentRest(` The end of its stderr:\n${lines}`);
  return isTimeout ? ' It wrote nothing to stderr.' : '';
}

function indentRest(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
