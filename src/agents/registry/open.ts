import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { AcpError, InvalidParamsError } from '../../core/base/errors.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import {
  abortSignal,
  checkOptions,
  integerBetween,
  optional,
  optionsObject,
  timeoutMs,
} from '../../core/base/options.ts';
import { printable } from '../../core/base/printable.ts';
import { absolutePath } from '../../node/process/options.ts';
import { isSecure, parsedAddress, publishedRegistryUrl, shownAddress } from './address.ts';
import { type AgentRegistry, NotRegistryError, readContent } from './content.ts';
import { type CheckedCopy, type RegistryCopy, readCopy, readLimited, writeCopy } from './copy.ts';
import { type FetchLimits, fetchFile, wrongAnswer } from './fetch.ts';

/** Options of {@link registry}: `url` and `cacheFolder`, or `file`. */
export type RegistryOptions = {
  /** The limit for the whole fetch, with all redirects. Default: 10 000. `Infinity`: none. */
  readonly timeoutMs?: number | undefined;
  /** The greatest size of a registry, after decompression. Default: 5 MiB. */
  readonly maxBytes?: number | undefined;
  /** Ends the fetch, and rejects the promise with the reason of the signal, also if there is a copy. */
  readonly signal?: AbortSignal | undefined;
} & (
  | {
      /**
       * The address of a registry on a server: https, or http on this machine. {@link publishedRegistryUrl} is that of
       * the published registry.
       */
      readonly url: string | URL;
      readonly file?: undefined;
      /**
       * The directory of the last good copies, one for each address. Absolute. It is created if it does not exist. Only
       * this user should be able to write to it, because a copy says which programs are started.
       */
      readonly cacheFolder: string;
      /** A copy that is younger is used without a request. Default: 0, which asks each time. */
      readonly maxAgeMs?: number | undefined;
    }
  | {
      /** A `registry.json`, or the `agent.json` of one agent. Absolute. */
      readonly file: string;
      readonly url?: undefined;
      /** Not used: a file needs no copy. */
      readonly cacheFolder?: string | undefined;
      readonly maxAgeMs?: undefined;
    }
);

export const registryDefaults = { timeoutMs: 10_000, maxBytes: 5 * 1024 * 1024 } as const;

const addressSchema = v.pipe(
  v.custom<string | URL>(
    (value) => typeof value === 'string' || value instanceof URL,
    ({ input }) => `must be an address, such as ${publishedRegistryUrl}; got ${kindOf(input)}`,
  ),
  v.transform((value) => parsedAddress(String(value))),
  v.custom<URL>(
    (url) => url instanceof URL && isSecure(url),
    ({ input }) =>
      `must be an address that begins with https, such as ${publishedRegistryUrl}, or with http for a server on this machine; got ${input instanceof URL ? shownAddress(input) : 'another text'}`,
  ),
  v.check(
    ({ username, password }) => username === '' && password === '',
    'contains a user name or a password, which cannot be sent: remove them',
  ),
);

const onlyOne = 'cannot be combined: pass either url or file';

const limits = {
  timeoutMs: v.optional(timeoutMs, registryDefaults.timeoutMs),
  maxBytes: v.optional(integerBetween(1, 2 ** 30), registryDefaults.maxBytes),
  signal: optional(abortSignal),
};

const urlOptions = optionsObject({
  ...limits,
  url: addressSchema,
  file: optional(v.undefined(onlyOne)),
  cacheFolder: absolutePath,
  maxAgeMs: v.optional(integerBetween(0, Number.MAX_SAFE_INTEGER), 0),
});

const fileOptions = optionsObject({
  ...limits,
  file: absolutePath,
  url: optional(v.undefined(onlyOne)),
  cacheFolder: optional(absolutePath),
  maxAgeMs: optional(v.undefined('is for a url')),
});

/**
 * Reads an ACP registry: the list of agents, and how each is started. {@link registeredAgentCommand} makes the start
 * command of an agent of it.
 *
 * A registry on a server is fetched with limits, checked, and kept as a copy in `cacheFolder`. The next call sends the
 * `ETag` of the copy, so that an unchanged registry is not sent again. If the fetch fails, or what the server sent is
 * not a registry, the promise resolves with the last good copy and the `problem`. Redirects are followed to https only.
 * A single malformed entry is left out and listed in `problems`.
 *
 * Uses `https.request` of Node with its global agent. Downloads no agent.
 *
 * If there is no good copy of the published registry, the promise resolves with the one that this package contains, and
 * the `problem`. For another address it rejects with a {@link ConnectionClosedError} (no answer from the server), a
 * {@link TimeoutError}, a {@link MessageTooLargeError}, or an {@link InvalidMessageError} (not a registry).
 *
 * @throws {@link InvalidParamsError} if an option is wrong, or if `file` cannot be read or is not a registry.
 *
 * @example
 * ```ts
 * const { agents, ageMs, problem } = await registry({ url: publishedRegistryUrl, cacheFolder });
 * if (problem) showWarning(`${problem} The list is ${Math.round(ageMs / 3_600_000)} hours old.`);
 * showAgents(agents.map(({ id, name, version }) => ({ id, label: `${name} ${version}` })));
 * ```
 * @see https://github.com/agentclientprotocol/registry/blob/main/FORMAT.md
 */
export async function registry(options: RegistryOptions): Promise<AgentRegistry> {
  const isFile = typeof options === 'object' && options !== null && options.file !== undefined;
  if (isFile) return registryOfFile(checkOptions('registry', fileOptions, options));
  return registryOfServer(checkOptions('registry', urlOptions, options));
}

type FileOptions = v.InferOutput<typeof fileOptions>;

async function registryOfFile({ file, maxBytes, signal }: FileOptions): Promise<AgentRegistry> {
  signal?.throwIfAborted();
  try {
    const content = readContent(await readLimited(file, maxBytes));
    const { mtime } = await stat(file);
    return { ...content, source: 'file', ...ageOf(mtime.toISOString()) };
  } catch (error) {
    const what = error instanceof NotRegistryError ? error.message : `cannot be read: ${errorMessage(error)}`;
    throw new InvalidParamsError(`registry: the file ${file} ${what}. Pass the path of a registry file.`, {
      cause: error,
    });
  }
}

type UrlOptions = v.InferOutput<typeof urlOptions>;

async function registryOfServer(options: UrlOptions): Promise<AgentRegistry> {
  const { url, cacheFolder, maxAgeMs, ...limits } = options;
  url.hash = '';
  const copy = await readCopy(cacheFolder, url, limits.maxBytes);
  if (copy) {
    const age = ageOf(copy.fetchedAt);
    // A copy from the future was written before the clock was set back: its age is not known.
    const isYoung = age.ageMs < maxAgeMs && Date.parse(copy.fetchedAt) <= Date.now();
    if (isYoung) return { ...copy.content, source: 'cache', ...age };
  }
  try {
    const { content, ...fresh } = await refresh(url, copy, limits);
    const kept = await keep(cacheFolder, url, fresh);
    return { ...content, source: 'network', ...ageOf(fresh.fetchedAt), ...kept };
  } catch (error) {
    const isPublished = url.href === publishedRegistryUrl;
    if (limits.signal?.aborted || !AcpError.is(error) || !(copy || isPublished)) throw error;
    const problem = error.message.replace(/^registry: /, '');
    if (copy) return { ...copy.content, source: 'cache', ...ageOf(copy.fetchedAt), problem };
    return { ...(await snapshot()), problem };
  }
}

/** The published registry as this package contains it, without a request. */
export async function snapshot(): Promise<AgentRegistry> {
  // Most programs have a network, and need none of it.
  const { registrySnapshot } = await import('./snapshot.ts');
  const { agents, takenAt } = registrySnapshot();
  return { agents, problems: [], source: 'snapshot', ...ageOf(takenAt) };
}

/** Fetches the registry, or the server's confirmation that the copy is current. */
async function refresh(url: URL, copy: CheckedCopy | undefined, limits: FetchLimits): Promise<CheckedCopy> {
  const fetched = await fetchFile(url, copy?.etag, limits);
  const fetchedAt = new Date().toISOString();
  if (fetched === 'unchanged') {
    if (copy) return { ...copy, fetchedAt };
    throw wrongAnswer(`${shownAddress(url)} answered that its content has not changed, and there is no copy`);
  }
  try {
    const content = readContent(fetched.bytes);
    return { content, text: Buffer.from(fetched.bytes).toString(), etag: fetched.etag, fetchedAt };
  } catch (error) {
    if (!(error instanceof NotRegistryError)) throw error;
    throw wrongAnswer(`what ${shownAddress(url)} sent ${error.message}`);
  }
}

/** Keeps a copy. Returns the problem that this is not possible, for the user. */
async function keep(folder: string, url: URL, copy: RegistryCopy): Promise<Pick<AgentRegistry, 'problem'>> {
  try {
    await writeCopy(folder, url, copy);
    return {};
  } catch (error) {
    const problem = `No copy can be kept in ${folder}: ${errorMessage(error)}. Make it a directory that you can write to, or choose another one.`;
    return { problem: printable(problem) };
  }
}

function ageOf(fetchedAt: string): Pick<AgentRegistry, 'fetchedAt' | 'ageMs'> {
  return { fetchedAt, ageMs: Math.max(0, Date.now() - Date.parse(fetchedAt)) };
}
