import { AcpError, type AcpErrorCode, CapabilityError } from '../errors.ts';
import { AgentFailure } from './agent-failure.ts';
import { Interrupted } from './interrupts.ts';
import { TurnFailed } from './turn-failed.ts';
import { WrongUsage } from './wrong-usage.ts';

export const exitCodes = {
  done: 0,
  bug: 1,
  usage: 2,
  capability: 3,
  remote: 4,
  agent: 5,
  interrupted: 130,
} as const;

const byErrorCode: Readonly<Record<AcpErrorCode, number>> = {
  'usage.params': exitCodes.usage,
  'usage.capability': exitCodes.capability,
  remote: exitCodes.remote,
  'remote.auth_required': exitCodes.remote,
  'remote.not_found': exitCodes.remote,
  'remote.cancelled': exitCodes.remote,
  // A call came too late: the agent has gone already.
  'usage.state': exitCodes.agent,
  'protocol.message': exitCodes.agent,
  'protocol.version': exitCodes.agent,
  'protocol.message_too_large': exitCodes.agent,
  'connection.closed': exitCodes.agent,
  timeout: exitCodes.agent,
  'agent.spawn': exitCodes.agent,
  'agent.exit': exitCodes.agent,
};

/** The exit code that says who must act. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof AgentFailure) return exitCodeOf(error.cause);
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof WrongUsage) return exitCodes.usage;
  if (error instanceof TurnFailed) return exitCodes.remote;
  if (!AcpError.is(error)) return exitCodes.bug;
  // It was sent, and the agent's answer was that it has no such method.
  if (error instanceof CapabilityError && error.answered) return exitCodes.remote;
  return byErrorCode[error.code];
}
