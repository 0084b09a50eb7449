import type { RegistryAgent } from '../../../agents/registry/content.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { columnPaint, fitTable, toJson } from '../print.ts';
import { type AgentStart, ageLines, agentStart, openRegistry } from '../registry.ts';

/** Lists the agents of the registry. */
export async function agents(invocation: Invocation, context: Context): Promise<void> {
  const { output, host } = context;
  const registry = await openRegistry(invocation, context);
  const rows = await Promise.all(
    registry.agents.map(async (agent) => ({ ...agent, ...(await agentStart(registry, agent.id, host.env)) })),
  );
  if (invocation.format === 'json') return output.result(toJson({ ...registry, agents: rows }));
  for (const line of ageLines(registry)) output.note(line);
  if (rows.length === 0) output.note('The registry has no agents.');
  await output.result(fitTable(rows.map(row), output.width, columnPaint(output, ';1', ';2', '', ';2')));
}

function row({ id, version = '', name, ...how }: RegistryAgent & AgentStart): readonly string[] {
  const start =
    'start' in how ? [how.start.command, ...how.start.args].join(' ') : `not here: ${how.missing}`;
  return [id, version, name, start].map((cell) => cleanLine(cell));
}
