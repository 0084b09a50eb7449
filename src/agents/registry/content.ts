import * as v from 'valibot';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { issuesOf, listed } from '../../core/base/issue.ts';
import { isJsonObject } from '../../core/base/json.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import { shown } from '../../core/base/options.ts';
import { printable, shortened } from '../../core/base/printable.ts';
import { environment, systemString } from '../../node/process/options.ts';
import { isSecure, parsedAddress } from './address.ts';

const launch = {
  args: v.optional(v.array(systemString)),
  env: v.optional(
    v.pipe(
      v.record(v.string(), systemString),
      v.check((variables) => v.is(environment, variables), 'has a name that cannot be passed to a program'),
    ),
  ),
};

const archive = v.object({
  ...launch,
  archive: v.pipe(
    v.string(),
    v.check((text) => {
      const url = parsedAddress(text);
      return url !== undefined && isSecure(url);
    }, mustBe('an address that begins with https')),
  ),
  sha256: v.optional(v.pipe(v.string(), v.regex(/^[\da-f]{64}$/i, mustBe('64 hexadecimal digits')))),
  cmd: v.pipe(
    systemString,
    v.check(staysInside, mustBe('the path of a program, relative to the unpacked archive and inside it')),
  ),
});

const platform = v.optional(archive);
const binary = v.object({
  'darwin-aarch64': platform,
  'darwin-x86_64': platform,
  'linux-aarch64': platform,
  'linux-x86_64': platform,
  'windows-aarch64': platform,
  'windows-x86_64': platform,
});

/** No name begins with a hyphen, which would make it an option of `npx` or `uvx`. */
const npmPackage = /^(?:@[a-z\d~][a-z\d._~-]*\/)?[a-z\d~][a-z\d._~-]*(?:@[a-z\d][\w.+-]*)?$/i;
const pythonPackage = /^[a-z\d][a-z\d._-]*(?:\[[a-z\d._,-]+\])?(?:(?:==|@)[a-z\d][\w.+!-]*)?$/i;

/** npm and uv take such a name, or such a version, for a file in the working directory. */
const archiveName = /\.(?:tgz|tar|gz|zip|whl)(?:@|$)/i;

const packageNamed = (pattern: RegExp) =>
  v.object({
    ...launch,
    package: v.pipe(
      v.string(),
      v.regex(pattern, mustBe('the name of a package, with an exact version or without one')),
      v.check((name) => !archiveName.test(name), mustBe('the name of a package, and not of a file')),
    ),
  });

/** A text that a browser can open without running anything: `javascript:` and `file:` are not for links. */
const webAddress = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => (/^https?:$/.test(parsedAddress(text)?.protocol ?? '') ? text : undefined)),
  ),
);

/**
 * An entry of the registry.
 *
 * @see https://github.com/agentclientprotocol/registry/blob/main/agent.schema.json
 */
export const entrySchema = v.object({
  // Editors use it in the names of files.
  id: v.pipe(
    v.string(),
    v.regex(
      /^[a-z][a-z\d-]{0,99}$/,
      mustBe('lowercase letters, digits and hyphens, and begin with a letter'),
    ),
  ),
  // The registry requires three numbers, and allows any text after them.
  version: v.optional(v.pipe(v.string(), v.regex(/^\d[\w.+-]{0,99}$/, mustBe('a version, such as 1.2.3')))),
  distribution: v.object({
    binary: v.optional(binary),
    npx: v.optional(packageNamed(npmPackage)),
    uvx: v.optional(packageNamed(pythonPackage)),
  }),
  name: v.optional(v.pipe(v.string(), v.nonEmpty('is empty'))),
  description: v.optional(v.string()),
  repository: webAddress,
  website: webAddress,
  license: v.optional(v.string()),
  license_url: webAddress,
  icon: webAddress,
  authors: v.optional(v.array(v.string())),
});

function mustBe(what: string) {
  return ({ input }: { readonly input: unknown }) => `must be ${what}; got ${shown(input)}`;
}

/** Whether the path of a program, in the form of any system, names something inside the directory it is relative to. */
function staysInside(path: string): boolean {
  // A colon: `C:`, and the streams of a file on Windows.
  if (/^[\\/]|:/.test(path)) return false;
  const names = path.split(/[\\/]/);
  const last = names.at(-1) ?? '';
  // Windows ignores dots and spaces at the end of a name, so that `.. ` is the parent too.
  return /[^. ]/.test(last) && !names.some((name) => name !== '.' && /^[. ]+$/.test(name));
}

/** An agent of the registry. Its texts are the registry's: escape them, and remove control characters. */
export interface RegistryAgent {
  /** Lowercase letters, digits and hyphens. Unique in the registry. */
  readonly id: string;
  /** For the user. The id, if the entry has no name. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** The addresses of web pages. Those that do not begin with https or http are left out. */
  readonly repository?: string | undefined;
  readonly website?: string | undefined;
  readonly licenseUrl?: string | undefined;
  /** The address of an SVG image of 16x16 pixels in `currentColor`. Left out as the addresses of pages are. */
  readonly icon?: string | undefined;
  /** An SPDX identifier, or `proprietary`. */
  readonly license?: string | undefined;
  readonly authors: readonly string[];
  /** How it is obtained and started. */
  readonly distribution: {
    /** The programs that the editor downloads and unpacks, by platform. */
    readonly binary?:
      | {
          readonly [P in `${'darwin' | 'linux' | 'windows'}-${'aarch64' | 'x86_64'}`]?:
            | {
                /** The address of the archive, or of the program itself. With https, or with http on this machine. */
                readonly archive: string;
                /** The SHA-256 of the archive, in hexadecimal digits. Compare it before you unpack the archive. */
                readonly sha256?: string | undefined;
                /** The program in the unpacked archive: a relative path that does not leave it. */
                readonly cmd: string;
                readonly args?: readonly string[] | undefined;
                readonly env?: Readonly<Record<string, string>> | undefined;
              }
            | undefined;
        }
      | undefined;
    /** A package of npm, which `npx` downloads and starts. */
    readonly npx?:
      | {
          /**
           * Its name, with or without a version, as in the registry. {@link registeredAgentCommand} adds a missing
           * version.
           */
          readonly package: string;
          readonly args?: readonly string[] | undefined;
          readonly env?: Readonly<Record<string, string>> | undefined;
        }
      | undefined;
    /** A package of PyPI, which `uvx` downloads and starts. */
    readonly uvx?: RegistryAgent['distribution']['npx'];
  };
}

/** An entry of the registry that cannot be used, and was left out. */
export interface RegistryProblem {
  /** The id of the entry, or its place, such as `agents[3]`. */
  readonly entry: string;
  /** The fault of the entry, as text. */
  readonly message: string;
}

/** The agents of a registry, as plain data: it can be sent to a webview. */
export interface AgentRegistry {
  /** The entries that can be used, in the order of the registry. */
  readonly agents: readonly RegistryAgent[];
  /** The entries that were left out, because they are malformed or have the id of another one. */
  readonly problems: readonly RegistryProblem[];
  /**
   * - `network`: the server sent it in this call, or confirmed that the copy is current
   * - `cache`: the last good copy, because it is younger than `maxAgeMs`, or because of `problem`
   * - `file`: the file
   * - `snapshot`: the one that this package contains, because of `problem`, and because there is no copy of the
   *   published registry
   */
  readonly source: 'network' | 'cache' | 'file' | 'snapshot';
  /** When the server last sent or confirmed it, when the file was changed, or the snapshot taken, as ISO 8601. */
  readonly fetchedAt: string;
  /** The time since then, in milliseconds. Never negative. */
  readonly ageMs: number;
  /**
   * Why this is an old copy, or why no copy could be kept: what happened and what the user can do, as sentences.
   * Absent if all went well.
   */
  readonly problem?: string | undefined;
}

/** What a registry contains. */
export type RegistryContent = Pick<AgentRegistry, 'agents' | 'problems'>;

/** The text is not a registry. The message says what it is, as a predicate. It does not leave this directory. */
export class NotRegistryError extends Error {
  override readonly name = 'NotRegistryError';
}

/** An entry that is not malformed needs about 200 bytes. The check of a malformed one takes longer than that. */
export const maxEntries = 10_000;

/** How much of a name in a text is shown, in characters. */
const shownLength = 100;

/**
 * Reads a registry, or the `agent.json` of one agent.
 *
 * @throws {@link NotRegistryError}
 */
export function readContent(bytes: Uint8Array): RegistryContent {
  const content = parse(bytes);
  const entries = entriesOf(content);
  if (entries === undefined) {
    const what = isJsonObject(content) ? 'an object without a list of agents' : kindOf(content);
    throw new NotRegistryError(`is not a registry: it is ${what}`);
  }
  if (entries.length > maxEntries) {
    throw new NotRegistryError(`has ${entries.length} entries, and at most ${maxEntries} are read`);
  }
  const read = readEntries(entries);
  const [first] = read.problems;
  if (first && read.agents.length === 0) {
    throw new NotRegistryError(`has no entry that can be used: ${first.entry}: ${first.message}`);
  }
  return read;
}

/** The entries of a registry, or of the `agent.json` of one agent. `undefined`: it is neither. */
export function entriesOf(content: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(content)) return undefined;
  const { agents } = content;
  if (agents === undefined) return content['id'] === undefined ? undefined : [content];
  return Array.isArray(agents) ? agents : undefined;
}

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    const isPage = /^\s*</.test(text);
    throw new NotRegistryError(
      isPage
        ? 'is not a registry: it is a web page, such as the login page of a network'
        : `is not JSON: ${errorMessage(error).slice(0, shownLength)}`,
    );
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NotRegistryError('is not text in UTF-8');
  }
}

/** A single malformed entry does not spoil the others. */
export function readEntries(entries: readonly unknown[]): RegistryContent {
  const agents = new Map<string, RegistryAgent>();
  const problems: RegistryProblem[] = [];
  for (const [index, entry] of entries.entries()) {
    const agent = readEntry(entry);
    const refuse = (message: string) =>
      problems.push({ entry: labelOf(entry, index), message: printable(message) });
    if ('problem' in agent) refuse(agent.problem);
    else if (agents.has(agent.id)) refuse('has the id of another entry');
    else agents.set(agent.id, agent);
  }
  return { agents: [...agents.values()], problems };
}

function labelOf(entry: unknown, index: number): string {
  const id = isJsonObject(entry) ? entry['id'] : undefined;
  return typeof id === 'string' && id !== '' ? shortened(printable(id), shownLength) : `agents[${index}]`;
}

function readEntry(value: unknown): RegistryAgent | { readonly problem: string } {
  const result = v.safeParse(entrySchema, value, { abortEarly: true });
  if (!result.success) return { problem: listed(issuesOf(result.issues, 'the entry')) };
  const { id, name = id, authors = [], license_url: licenseUrl, ...entry } = result.output;
  // JSON has no member that is `undefined`.
  return JSON.parse(JSON.stringify({ ...entry, id, name, licenseUrl, authors } satisfies RegistryAgent));
}
