import { CapabilityError } from '../../base/errors.ts';
import type { CancelCapability } from '../../model/tool-call.ts';
import type { AgentMethod } from '../../protocol/method.ts';

/** A session for which the client sends only what the agent permits. */
export interface RestrictedSession {
  readonly sessionId: string;
  /** The session that it works for. */
  readonly parentSessionId: string;
  readonly capabilities: CancelCapability | null;
}

/**
 * Checks that the agent permits a call for a subagent. What a subagent does is up to the agent: a call that changes it
 * needs a capability of this subagent, and one that only reads does not.
 *
 * @throws {@link CapabilityError} if the agent does not permit it.
 * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
 */
export function assertPermitted({ method, onSubagent }: AgentMethod, subagent: RestrictedSession): void {
  const { sessionId, parentSessionId, capabilities } = subagent;
  if (onSubagent === 'read') return;
  if (onSubagent === 'cancel' && capabilities?.cancel) return;
  const name = `The session ${JSON.stringify(sessionId)} is a subagent`;
  const reason =
    onSubagent === 'cancel'
      ? `${name}, and the agent does not say that it can be cancelled.`
      : `${name}: the agent gives it its work, and has no capability that permits ${method} for it.`;
  const parent = JSON.stringify(parentSessionId);
  const remedy =
    onSubagent === 'cancel'
      ? `Check subagent.capabilities?.cancel first, or cancel the session ${parent}, for which it works.`
      : `Call it for the session that you opened, or let the session ${parent} instruct the subagent.`;
  throw new CapabilityError(`${method}: ${reason} Nothing was sent. ${remedy}`, {
    method,
    missing: [{ feature: method, path: 'capabilities', value: capabilities, reason }],
  });
}
