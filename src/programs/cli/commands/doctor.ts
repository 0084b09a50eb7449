import { probeAgent } from '../../../agents/probe/probe.ts';
import type { AgentRegistry, RegistryAgent } from '../../../agents/registry/content.ts';
import type { SpawnAgentOptions } from '../../../node/process/spawn.ts';
import { showWhile } from '../activity.ts';
import { downloaders } from '../agent.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { type AgentCheck, checkText, jsonOf } from '../doctor-report.ts';
import { CommandError, exitCodes, usageError } from '../errors.ts';
import { version } from '../options.ts';
import { toJson } from '../print.ts';
import { ageLines, agentStart, openRegistry, registryWith } from '../registry.ts';

/**
 * Checks an agent, or all agents of the registry that are installed, and prints what was found and what to do.
 *
 * @throws {@link CommandError} after that, if an agent has a problem.
 */
export async function doctor(invocation: Invocation, context: Context): Promise<void> {
  const { output } = context;
  const checks = await checksOf(invocation, context);
  await output.result(
    invocation.format === 'json'
      ? toJson({ agents: checks.map(jsonOf) })
      : checkText(checks, invocation.agent ? 'one' : 'all', output),
  );
  const failure = failureOf(checks, invocation);
  if (failure) throw failure;
}

async function checksOf(invocation: Invocation, context: Context): Promise<readonly AgentCheck[]> {
  const { agent } = invocation;
  if (!agent) return checkAll(invocation, context);
  if ('url' in agent) {
    throw usageError('doctor checks programs of this machine. For an agent at a URL, use inspect.');
  }
  if ('command' in agent) return [await check(agent, invocation, context)];
  const registry = await registryWith(agent.name, context);
  const start = await agentStart(registry, agent.name, context.host.env);
  if ('missing' in start) {
    if (!entryOf(registry, agent.name)) throw usageError(`--agent: ${start.missing}`);
    return [{ name: agent.name, status: 'notInstalled', reason: start.missing }];
  }
  return [await check(start.start, invocation, context, entryOf(registry, agent.name))];
}

/** Checks the agents whose programs are installed, one after the other: several at once would slow each other down. */
async function checkAll(invocation: Invocation, context: Context): Promise<readonly AgentCheck[]> {
  const { host, output } = context;
  const registry = await openRegistry(invocation, context);
  for (const line of ageLines(registry)) output.note(line);
  const checks: AgentCheck[] = [];
  for (const entry of registry.agents) {
    const { id } = entry;
    const start = await agentStart(registry, id, host.env);
    if ('missing' in start) checks.push({ name: id, status: 'notInstalled', reason: start.missing });
    else if (downloaders.has(start.start.command)) {
      checks.push({ name: id, status: 'notChecked', reason: `${start.start.command} can download it.` });
    } else checks.push(await check(start.start, invocation, context, entry));
  }
  return checks;
}

/** How long each of several agents may take to open a session, in milliseconds. Without a network, some never do. */
const sessionOfManyMs = 15_000;

const entryOf = ({ agents }: AgentRegistry, name: string) => agents.find(({ id }) => id === name);

async function check(
  command: SpawnAgentOptions,
  { agent, timeoutMs }: Invocation,
  context: Context,
  registryEntry?: RegistryAgent,
): Promise<AgentCheck> {
  const name = registryEntry?.id;
  const stepTimeoutMs = timeoutMs ?? 120_000;
  const probing = probeAgent(command, {
    clientInfo: { name: 'acp-client', version },
    terminalLogin: true,
    registryEntry,
    stepTimeoutMs,
    sessionTimeoutMs: timeoutMs ?? (agent ? undefined : sessionOfManyMs),
    timeoutMs: Math.max(300_000, stepTimeoutMs),
    signal: context.interrupts.signal,
  });
  const probe = await showWhile(context, () => `Checking ${name ?? command.command}`, probing);
  return { name, status: 'checked', command, probe };
}

/** What the command ends with, if an agent does not work. A login that is missing is not as bad as another problem. */
function failureOf(checks: readonly AgentCheck[], { agent }: Invocation): CommandError | undefined {
  const problems = checks.flatMap((each) => (each.status === 'checked' ? [each.probe.problems] : []));
  const failed = problems.filter((found) => found.length > 0);
  if (agent && problems.length === 0) return usageError('The agent cannot be started here.');
  if (failed.length === 0) return undefined;
  const needsMore = failed.flat().some(({ code }) => code !== 'login.required');
  const summary = agent
    ? 'The agent cannot be used yet.'
    : `${failed.length} of the ${problems.length} agents that were checked cannot be used yet.`;
  return new CommandError(summary, needsMore ? exitCodes.agent : exitCodes.remote);
}
