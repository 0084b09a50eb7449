import * as v from 'valibot';
import { shown } from '../../core/base/options.ts';
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
  repository: v.optional(v.string()),
  website: v.optional(v.string()),
  license: v.optional(v.string()),
  license_url: v.optional(v.string()),
  icon: v.optional(v.string()),
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
