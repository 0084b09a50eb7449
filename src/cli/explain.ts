import {
  AcpError,
  AuthRequiredError,
  CapabilityError,
  ConnectionClosedError,
  ProtocolError,
  TimeoutError,
} from '../errors.ts';
import { lastLines } from '../printable.ts';
import { AgentFailure } from './agent-failure.ts';
import { usage } from './help.ts';
import { Interrupted } from './interrupts.ts';
import { TurnFailed } from './turn-failed.ts';
import { UnusableFile, WrongUsage } from './wrong-usage.ts';

/** What to tell the user of an error: what happened, and what to do now. */
export function explain(error: unknown): string {
  if (error instanceof AgentFailure) return explain(error.cause) + lastWords(error);
  if (error instanceof UnusableFile) return error.message;
  if (error instanceof WrongUsage) return `${error.message}\nUsage: ${usage}`;
  if (error instanceof CapabilityError) return whyNot(error);
  if (error instanceof TimeoutError) return whatWasLate(error);
  if (error instanceof ConnectionClosedError) return [error.message, ...whyClosed(error)].join(' ');
  if (error instanceof AuthRequiredError) {
    return `${error.message} "acp-client inspect" shows the ways to log in; this program takes none of them for you.`;
  }
  const isExpected = AcpError.is(error) || error instanceof Interrupted || error instanceof TurnFailed;
  if (isExpected) return error.message;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a fault of acp-client itself, please report it: ${stack}`;
}

/** The library's own message ends with what its user can do, which is another thing. */
function whyNot({ answered, message, method, missing }: CapabilityError): string {
  if (answered) return message;
  const reasons = missing.map(({ reason }) => reason).join(' ');
  return `${method} is not possible: ${reasons} Nothing was sent. "acp-client inspect" shows what the agent supports.`;
}

function whatWasLate({ method, timeoutMs }: TimeoutError): string {
  // A turn has no time limit but the silence in it.
  const said =
    method === 'session/prompt'
      ? `said nothing for ${timeoutMs} ms, and its turn has not ended`
      : `did not answer ${method} within ${timeoutMs} ms`;
  return `The agent ${said}. A longer --timeout lets it try longer.`;
}

/** How the agent's program ended, unless the message tells it already. */
function whyClosed({ message, cause }: ConnectionClosedError): readonly string[] {
  return AcpError.is(cause) && !message.includes(cause.message) ? [cause.message] : [];
}

/** The other errors of an agent repeat its last words themselves, or say that it answered. */
function lastWords({ cause, stderrTail }: AgentFailure): string {
  const isLate = cause instanceof TimeoutError;
  if (!isLate && !(cause instanceof ProtocolError)) return '';
  const lines = lastLines(stderrTail);
  if (lines !== '') return ` The last it wrote to stderr:\n${lines}`;
  return isLate ? ' It wrote nothing to stderr.' : '';
}
