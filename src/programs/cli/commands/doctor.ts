import { basename } from 'node:path';
import { type AgentProbe, probeAgent } from '../../../agents/probe/probe.ts';
import type { ProbeSession } from '../../../agents/probe/steps.ts';
import type { RegistryAgent } from '../../../agents/registry/content.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import { wrapLines } from '../../../core/render/lines.ts';
import type { SpawnAgentOptions } from '../../../node/process/spawn.ts';
import { showWhile } from '../activity.ts';
import { downloaders } from '../agent.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes, usageError } from '../errors.ts';
import { version } from '../options.ts';
import { fitTable, type Output, type Paint, painted, toJson } from '../print.ts';
import { ageLines, agentStart, openRegistry, registryWith } from '../registry.ts';

/** What `npx acp-client-sdk doctor` found out about an agent. `name` is its id in the registry. */
type AgentCheck =
  | {
      readonly status: 'checked';
      readonly name: string | undefined;
      readonly command: SpawnAgentOptions;
      readonly probe: AgentProbe;
    }
  | { readonly status: 'notInstalled' | 'notChecked'; readonly name: string; readonly reason: string };

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
  const entry = registry.agents.find(({ id }) => id === agent.name);
  const found = await agentStart(registry, agent.name, context.host.env);
  if ('start' in found) return [await check(found.start, invocation, context, entry)];
  if (!entry) throw usageError(`--agent: ${found.missing}`);
  return [{ name: agent.name, status: 'notInstalled', reason: found.missing }];
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

/** A check as JSON. What is absent is `null`. The arguments are left out, because they can contain keys. */
function jsonOf(check: AgentCheck): object {
  if (check.status !== 'checked') return check;
  const { name = null, status, probe } = check;
  const { command } = check.command;
  const { program = null, agentInfo = null, version = null, dialect = null, features = null } = probe;
  return { name, status, command, ...probe, program, agentInfo, version, dialect, features };
}

const titles = { notChecked: 'Not checked', notInstalled: 'Not installed' } as const;
const howToCheck = 'To check one of them: npx acp-client-sdk doctor --agent NAME';

type Look = Pick<Output, 'width' | 'color'>;

/** Checks as text: a section for each agent that was checked, and lists of the others. */
function checkText(checks: readonly AgentCheck[], which: 'one' | 'all', output: Look): string {
  const { width } = output;
  const sections = checks.flatMap((check) => (check.status === 'checked' ? [section(check, output)] : []));
  const others = (['notChecked', 'notInstalled'] as const).flatMap((status) => {
    const found = checks.flatMap((check) => (check.status === status ? [check] : []));
    if (found.length === 0) return [];
    const rows = found.map(({ name, reason }) => [`  ${name}`, cleanLine(reason)]);
    const advice = status === 'notChecked' ? `${wrapLines(howToCheck, width ?? 80)}\n` : '';
    return [`${painted(titles[status], ';1', output)}\n${fitTable(rows, width)}${advice}`];
  });
  const none = sections.length === 0 && which === 'all' ? ['No agent of the registry is installed.\n'] : [];
  return [...none, ...sections, ...others].join('\n');
}

function section(
  { name, command, probe }: AgentCheck & { readonly status: 'checked' },
  output: Look,
): string {
  const { agentInfo, problems, steps } = probe;
  const reported = agentInfo && cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version);
  const heading = [name, reported].filter(Boolean).join(': ') || basename(command.command);
  const totalMs = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const fields = [
    ['program', probe.program ?? 'not found'],
    ...(probe.program === undefined ? [['searched', probe.searched.join(', ') || 'nothing']] : []),
    ...(agentInfo || probe.dialect ? connectedFields(probe) : []),
    ['time', `${(totalMs / 1000).toFixed(1)} s`],
    ...problems.flatMap(({ message, remedy }) => [
      ['problem', message],
      ['to do', remedy],
    ]),
  ];
  const rows = fields.map(([label = '', text = '']) => [`  ${label}`, cleanLine(text)]);
  const paint: Paint = (cell, column, [label = '']) =>
    painted(cell, column === 0 ? ';2' : (looks[label.trim()] ?? ''), output);
  return `${painted(cleanLine(heading), ';1', output)}\n${fitTable(rows, output.width, paint)}`;
}

/** The attributes of what a reader looks for. */
const looks: Readonly<Record<string, string>> = { problem: ';31', 'to do': ';1' };

const sessions: Readonly<Record<ProbeSession, string>> = {
  deleted: 'opens, and was deleted again',
  kept: 'opens, and stays in the history of the agent, which cannot delete it',
  failed: 'does not open',
  skipped: 'not tried',
};

function connectedFields({ protocolVersions, login, loginReason, session }: AgentProbe): string[][] {
  // The problem of a missing login has the reason.
  const loginText = login === 'no' ? 'no' : `${login}. ${loginReason}`;
  const versions = protocolVersions.length > 1 ? 'versions' : 'version';
  return [
    ['protocol', `${versions} ${protocolVersions.join(' and ')}`],
    ['login', loginText],
    ['session', sessions[session]],
  ];
}
