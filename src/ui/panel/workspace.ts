import { type PathSyntax, posix, type ReadPath, windows } from '../../core/protocol/path-syntax.ts';
import type { PanelLocation, PanelWorkspace } from './options.ts';

/** The folders of a workspace. */
export function foldersOf({ cwd, additionalDirectories = [] }: PanelWorkspace): readonly string[] {
  return [cwd, ...additionalDirectories];
}

/** Whether a path is one of the folders, or inside one. Compares names, and does not look at the file system. */
export function isInside(path: string, folders: readonly string[]): boolean {
  return insidePath(path, folders) !== undefined;
}

/** The path without `.` and `..`, if it is one of the folders or inside one. */
export function insidePath(path: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => within(folder, (syntax) => readPath(syntax, path))).find(Boolean);
}

/** The path without `.`, if it is on a disk of the machine of the folders: not a share, and not a device. */
export function localPath(path: string, folders: readonly string[]): string | undefined {
  const isPosix = folders[0]?.startsWith('/') === true;
  const root = isPosix ? '/' : /^[a-z]:[\\/]/i.exec(path)?.[0];
  return root === undefined ? undefined : insidePath(path, [root]);
}

/**
 * The file that a link names: an absolute path, a path below `base`, or a `file:` URI, each with `#L12` or `:12` for a
 * line. `undefined` if it is not in one of the folders, or is no link to a file.
 */
export function linkedFile(
  link: string,
  base: string,
  folders: readonly string[],
): PanelLocation | undefined {
  const { target, line } = withoutLine(link);
  const path = folders
    .map((folder) => within(folder, (syntax) => readLink(syntax, target, base)))
    .find(Boolean);
  return path === undefined ? undefined : { path, line };
}

/** Whether a `file:` URI names something in one of the folders. */
export function isUriInside(uri: string, folders: readonly string[]): boolean {
  return folders.some((folder) => within(folder, (syntax) => readUri(syntax, uri)) !== undefined);
}

/** The path that `read` returns, if it is `folder` or inside it. */
function within(folder: string, read: (syntax: PathSyntax) => ReadPath | undefined): string | undefined {
  const syntax = folder.startsWith('/') ? posix : windows;
  const root = syntax.readPath(folder);
  const path = root && read(syntax);
  if (!root || !path?.names.every(({ name }) => syntax.accepts(name) && isPlainName(name))) {
    return undefined;
  }
  const keys = syntax.keysOf(path);
  const isBelow = syntax.keysOf(root).every((key, index) => keys[index] === key);
  return isBelow ? path.root + path.names.map(({ name }) => name).join(syntax.separator) : undefined;
}

function readPath(syntax: PathSyntax, path: string): ReadPath | undefined {
  return leadsUp(path) ? undefined : syntax.readPath(path);
}

function readUri(syntax: PathSyntax, uri: string): ReadPath | undefined {
  if (!/^file:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  // The parser of URLs resolves `..`, also in its encoded forms.
  return leadsUp(uri.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\'))
    ? undefined
    : syntax.readUri(new URL(uri));
}

function readLink(syntax: PathSyntax, target: string, base: string): ReadPath | undefined {
  if (/^file:/i.test(target)) return readUri(syntax, target);
  const absolute = readPath(syntax, target);
  if (absolute) return absolute;
  // Another scheme, a drive without a root, or a path of another system.
  if (/^[a-z][a-z\d+.-]*:|^[\\/]/i.test(target)) return undefined;
  return readPath(syntax, base + syntax.separator + decoded(target));
}

/** A link in Markdown is encoded: a space is `%20`. */
function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** A link can lead through a link of the file system, where `..` is not the folder before it. */
function leadsUp(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/?#]|$)/.test(path);
}

/** Control characters end a path in some interfaces. */
function isPlainName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return !/[\0-\x1f\x7f]/.test(name) && name !== '..';
}

/** The line that a link names, as `#L12`, `#12`, `:12` or `:12:5`. */
function withoutLine(link: string): { readonly target: string; readonly line: number | null } {
  const found = /^(.+?)(?:#L?(\d{1,9})(?:[-:,][^#]*)?|:(\d{1,9})(?::\d{1,9})?)$/.exec(link);
  const [, target = link, fragment, suffix] = found ?? [];
  const line = Number(fragment ?? suffix ?? 0);
  return { target, line: line > 0 ? line : null };
}
