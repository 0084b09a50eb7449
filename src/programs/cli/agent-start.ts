import { errorMessage } from '../../base/diagnostic.ts';
import { AcpError } from '../../base/errors.ts';
import type { AgentCommand } from '../../node/agent-command.ts';
import { registeredAgentCommand } from '../../node/registry/command.ts';
import type { AgentRegistry } from '../../node/registry/content.ts';
import { withoutCall } from './errors.ts';

/** How an agent starts here, or what is missing. */
export type AgentStart = { readonly start: AgentCommand } | { readonly missing: string };

/** Looks up how an agent of the registry starts here. */
export async function agentStart(
  registry: AgentRegistry,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<AgentStart> {
  try {
    return { start: await registeredAgentCommand(registry, id, { env }) };
  } catch (error) {
    if (!AcpError.is(error)) throw error;
    return {
      missing: withoutCall(errorMessage(error)).replace(/^the agent \S+ cannot be started here\. /, ''),
    };
  }
}
