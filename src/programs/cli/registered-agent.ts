import { installedAgent } from '../../agents/tested-agents.ts';
import { registeredAgentCommand } from '../../agents/registry/command.ts';
import type { AgentRegistry } from '../../agents/registry/content.ts';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { AcpError } from '../../core/base/errors.ts';
import type { AgentCommand } from '../../node/process/node-command.ts';
import type { Context } from './context.ts';
import { CommandError, usageError, withoutCall } from './errors.ts';
import { ageLines, openRegistry } from './registry.ts';

/**
 * How an agent of the registry is started.
 *
 * @throws {@link CommandError} if the registry does not have the agent, or it cannot be started here.
 */
export async function registeredCommand(name: string, context: Context): Promise<AgentCommand> {
  const found = await agentStart(await registryWith(name, context), name, context.host.env);
  if ('missing' in found) throw usageError(`--agent: ${found.missing}`);
  return found.start;
}

/** How old a copy of the registry may be to start an agent without a request. */
const maxAgeMs = 3_600_000;

/** The registry, fetched again if a young copy does not have the agent. Says what went wrong with it. */
export async function registryWith(name: string, context: Context): Promise<AgentRegistry> {
  let opened = await openRegistry({ maxAgeMs }, context);
  const isComplete = opened.source !== 'cache' || opened.agents.some(({ id }) => id === name);
  if (!isComplete && opened.problem === undefined) opened = await openRegistry({}, context);
  if (opened.problem !== undefined) {
    for (const line of ageLines({ ...opened, problems: [] })) context.output.note(line);
  }
  return opened;
}

/** How an agent starts here, or what is missing. */
export type AgentStart = { readonly start: AgentCommand } | { readonly missing: string };

/** Looks up how an agent of the registry starts here. */
export async function agentStart(
  registry: AgentRegistry,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<AgentStart> {
  const entry = registry.agents.find((agent) => agent.id === id);
  try {
    // `npx` needs a network for what it has not downloaded: an installed program comes first.
    const installed = entry && installedAgent(entry, env);
    return { start: installed ?? (await registeredAgentCommand(registry, id, { env })) };
  } catch (error) {
    if (!AcpError.is(error)) throw error;
    return {
      missing: withoutCall(errorMessage(error)).replace(/^the agent \S+ cannot be started here\. /, ''),
    };
  }
}
