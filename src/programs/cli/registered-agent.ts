import { errorMessage } from '../../base/diagnostic.ts';
import type { AgentCommand } from '../../node/agent-command.ts';
import { registeredAgentCommand } from '../../node/registry/command.ts';
import type { AgentRegistry } from '../../node/registry/content.ts';
import type { Context } from './context.ts';
import { CommandError, exitCodes, withoutCall } from './errors.ts';
import { ageLines, openRegistry } from './registry.ts';

/**
 * How an agent of the registry is started.
 *
 * @throws {@link CommandError} if the registry does not have the agent, or it cannot be started here.
 */
export async function registeredCommand(
  name: string,
  registry: string | undefined,
  context: Context,
): Promise<AgentCommand> {
  const opened = await registryWith(name, registry, context);
  if (opened.problem !== undefined)
    for (const line of ageLines({ ...opened, problems: [] })) context.output.note(line);
  return registeredAgentCommand(opened, name, { env: context.host.env }).catch((error: unknown) => {
    throw new CommandError(`--agent: ${withoutCall(errorMessage(error))}`, exitCodes.usage);
  });
}

/** How old a copy of the registry may be to start an agent without a request. */
const maxAgeMs = 3_600_000;

/** The registry, fetched again if a young copy does not have the agent. */
export async function registryWith(
  name: string,
  registry: string | undefined,
  context: Context,
): Promise<AgentRegistry> {
  const opened = await openRegistry({ registry, maxAgeMs }, context);
  const isComplete = opened.source !== 'cache' || opened.agents.some(({ id }) => id === name);
  return isComplete || opened.problem !== undefined ? opened : openRegistry({ registry }, context);
}
