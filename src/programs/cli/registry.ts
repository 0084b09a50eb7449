import { resolve } from 'node:path';
import { publishedRegistryUrl } from '../../agents/registry/address.ts';
import type { AgentRegistry } from '../../agents/registry/content.ts';
import { registry } from '../../agents/registry/open.ts';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../core/base/errors.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { timeText } from '../../core/render/facts.ts';
import { showWhile } from './activity.ts';
import type { Context } from './context.ts';
import { CommandError, exitCodes, withoutCall } from './errors.ts';
import { cacheFolder } from './user-folders.ts';

interface OpenOptions {
  readonly timeoutMs?: number | undefined;
  /** A copy that is younger is used without a request. Default: none. */
  readonly maxAgeMs?: number;
}

/** The variable that names another registry than the published one: its address, or the path of a file. */
const variable = 'ACP_REGISTRY';

/**
 * Opens the registry of the user, from a file, from the network or from the last good copy.
 *
 * @throws {@link CommandError} if there is none.
 */
export async function openRegistry(
  { timeoutMs, maxAgeMs }: OpenOptions,
  context: Context,
): Promise<AgentRegistry> {
  const { host, interrupts } = context;
  const { signal } = interrupts;
  const place = host.env[variable] || publishedRegistryUrl;
  try {
    if (!isAddress(place)) return await registry({ file: resolve(host.cwd(), place), signal });
    const options = { url: place, cacheFolder: cacheFolder(host.env), timeoutMs, maxAgeMs, signal };
    return await showWhile(context, () => `Fetching the registry, ${place}`, registry(options));
  } catch (error) {
    signal.throwIfAborted();
    const isWrong = error instanceof InvalidParamsError;
    const text = cleanLine(withoutCall(errorMessage(error)));
    throw new CommandError(
      isWrong
        ? `${variable}: ${text}`
        : `The registry cannot be opened: ${text} No copy of it is on this machine.`,
      isWrong ? exitCodes.usage : exitCodes.agent,
    );
  }
}

/** One letter before the colon is a drive of Windows. */
function isAddress(place: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(place);
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
