import { errorMessage } from '../../diagnostic.ts';
import { AcpError } from '../../errors.ts';
import type { AgentCommand } from '../../node/agent-command.ts';
import { registeredAgentCommand } from '../../node/registry/command.ts';
import type { AgentRegistry, RegistryAgent } from '../../node/registry/content.ts';
import { cleanLine } from '../../render/clean.ts';
import type { Context } from '../context.ts';
import { withoutCall } from '../errors.ts';
import type { Invocation } from '../options.ts';
import { fitTable, toJson } from '../print.ts';
import { ageLines, openRegistry } from '../registry.ts';

/** How an agent starts here, or what is missing. */
type Start = { readonly start: AgentCommand } | { readonly missing: string };

/** Lists the agents of the registry. */
export async function agents(invocation: Invocation, context: Context): Promise<void> {
  const { output, host } = context;
  const registry = await openRegistry(invocation, context);
  const rows = await Promise.all(
    registry.agents.map(async (agent) => ({ ...agent, ...(await startOf(registry, agent, host.env)) })),
  );
  if (invocation.format === 'json') return output.result(toJson({ ...registry, agents: rows }));
  for (const line of ageLines(registry)) output.note(line);
  if (rows.length === 0) output.note('The registry has no agents.');
  await output.result(fitTable(rows.map(row), output.width));
}

async function startOf(
  registry: AgentRegistry,
  { id }: RegistryAgent,
  env: NodeJS.ProcessEnv,
): Promise<Start> {
  try {
    return { start: await registeredAgentCommand(registry, id, { env }) };
  } catch (error) {
    if (!AcpError.is(error)) throw error;
    return {
      missing: withoutCall(errorMessage(error)).replace(/^the agent \S+ cannot be started here\. /, ''),
    };
  }
}

function row({ id, version = '', name, ...how }: RegistryAgent & Start): readonly string[] {
  const start =
    'start' in how ? [how.start.command, ...how.start.args].join(' ') : `not here: ${how.missing}`;
  return [id, version, name, start].map((cell) => cleanLine(cell));
}
