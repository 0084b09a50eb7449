import { resolve } from 'node:path';
import { publishedRegistryUrl } from '../../agents/registry/address.ts';
import { registeredAgentCommand } from '../../agents/registry/command.ts';
import type { AgentRegistry } from '../../agents/registry/content.ts';
import { registry } from '../../agents/registry/open.ts';
import { installedAgent } from '../../agents/tested-agents.ts';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { AcpError, InvalidParamsError } from '../../core/base/errors.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { timeText } from '../../core/render/facts.ts';
import type { AgentCommand } from '../../node/process/node-command.ts';
import { showWhile } from './activity.ts';
import type { Context } from './context.ts';
import { CommandError, exitCodes, usageError, withoutCall } from './errors.ts';
import { cacheFolder } from './user-folders.ts';

/** The variable that names another registry than the published one: its address, or the path of a file. */
const variable = 'ACP_REGISTRY';

/**
 * Opens the registry of the user, from a file, from the network or from the last good copy.
 *
 * @param maxAgeMs - A copy that is younger is used without a request. Default: none.
 * @throws {@link CommandError} if there is none.
 */
export async function openRegistry(
  { timeoutMs, maxAgeMs }: { readonly timeoutMs?: number | undefined; readonly maxAgeMs?: number },
  context: Context,
): Promise<AgentRegistry> {
  const { host, interrupts } = context;
  const { signal } = interrupts;
  const place = host.env[variable] || publishedRegistryUrl;
  try {
    // One letter before the colon is a drive of Windows.
    const isAddress = /^[a-z][a-z\d+.-]+:\/\//i.test(place);
    if (!isAddress) return await registry({ file: resolve(host.cwd(), place), signal });
    const options = { url: place, cacheFolder: cacheFolder(host.env), timeoutMs, maxAgeMs, signal };
    return await showWhile(context, () => `Fetching the registry, ${place}`, registry(options));
  } catch (error) {
    signal.throwIfAborted();
    const text = cleanLine(withoutCall(errorMessage(error)));
    if (error instanceof InvalidParamsError) throw usageError(`${variable}: ${text}`);
    const message = `The registry cannot be opened: ${text} No copy of it is on this machine.`;
    throw new CommandError(message, exitCodes.agent);
  }
}

/** How old the registry is, and what went wrong with it, as lines for the user. */
export function ageLines({ source, fetchedAt, problem, problems }: AgentRegistry): readonly string[] {
  return [
    ...problems.map(
      ({ entry, message }) => `warning: ${cleanLine(entry)} was left out: ${cleanLine(message)}.`,
    ),
    ...(problem === undefined ? [] : [`warning: ${cleanLine(problem)}`]),
    `${ages[source]} ${timeText(fetchedAt)}.`,
  ];
}

const ages: Readonly<Record<AgentRegistry['source'], string>> = {
  network: 'The registry was fetched on',
  cache: 'This is the copy of the registry that was fetched on',
  file: 'The registry file was changed on',
  snapshot: 'This is the registry that this package contains, of',
};

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
