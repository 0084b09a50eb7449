import * as v from 'valibot';
import { InvalidParamsError } from '../base/errors.ts';
import { issuesIn, listed } from '../base/issue.ts';
import { optionsObject, readInput, shown } from '../base/options.ts';
import { createPathMap, type PathMap } from './path-map.ts';
import { type PathSyntax, posix, type ReadPath, windows } from './path-syntax.ts';

/** A directory that the editor and the agent see under two paths. */
export interface SharedDirectory {
  /** The directory as the editor sees it: an absolute path, such as `C:\work` or `/home/me/work`. */
  readonly editor: string;
  /** The same directory as the agent sees it: an absolute path, such as `/mnt/c/work`. */
  readonly agent: string;
}

/** A directory at one side of a map, taken apart. */
interface Directory extends Omit<ReadPath, 'hasEnd'> {
  /** As it was given. */
  readonly path: string;
  readonly syntax: PathSyntax;
  /** The root and the names, as the file system compares them. */
  readonly keys: readonly string[];
}

type Pair = readonly [from: Directory, to: Directory];

/**
 * Creates a map for an agent that sees other paths than the editor: in WSL, in a container, or on another host. Pass it
 * to `connect` as `paths`.
 *
 * The longest directory that contains a path decides where the path leads. A path outside of all directories stays as
 * it is. `..` is resolved first, so that no path leads out of a directory.
 *
 * A path with a drive or a share (`C:\work`, `\\wsl$\Ubuntu\home`) is a path of Windows. It can have either separator.
 * Upper and lower case are the same in it, except below `\\wsl$` and `\\wsl.localhost`, which name the same server. A
 * path that begins with `/` is a path of another system. Upper and lower case differ in it.
 *
 * @throws {@link InvalidParamsError} if a path is not absolute, or two directories have the same path on one side.
 *
 * @example
 * ```ts
 * const paths = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);
 * const connection = await connect(agent, { clientInfo, paths });
 * const session = await connection.newSession({ cwd: 'C:\\work\\project' });
 * ```
 */
export function pathMap(directories: readonly SharedDirectory[]): PathMap {
  const pairs = readInput(() => checked(directories)).map(
    ({ editor, agent }): Pair => [directoryAt(editor), directoryAt(agent)],
  );
  const reversed = pairs.map(([editor, agent]): Pair => [agent, editor]);
  assertDifferent(pairs, 'editor', 'agent');
  assertDifferent(reversed, 'agent', 'editor');
  const conversions = { toAgent: conversion(pairs), toEditor: conversion(reversed) };
  return createPathMap(conversions, async (dialect) => {
    const { localDialect } = await import('./local-dialect.ts');
    return localDialect(dialect, conversions);
  });
}

const absolute = v.custom<string>(
  (value) => typeof value === 'string' && syntaxOf(value) !== undefined,
  ({ input }) => `must be an absolute path, such as "/work" or "C:\\\\work"; got ${shown(input)}`,
);

const Directories = v.array(optionsObject({ editor: absolute, agent: absolute }));

function checked(directories: unknown): readonly SharedDirectory[] {
  const result = v.safeParse(Directories, directories);
  if (result.success) return result.output;
  const issues = issuesIn(result.issues, 'directories');
  throw new InvalidParamsError(`pathMap: ${listed(issues)}. Nothing was mapped.`, { issues });
}

function syntaxOf(path: string): PathSyntax | undefined {
  return [posix, windows].find((syntax) => syntax.readPath(path));
}

/** @param path - Absolute. */
function directoryAt(path: string): Directory {
  const syntax = syntaxOf(path) ?? posix;
  const { root, names } = syntax.readPath(path) ?? { root: '/', names: [] };
  return { path, syntax, root, names, keys: syntax.keysOf({ root, names }) };
}

/** A path in a directory that is there twice would have two places on the other side. */
function assertDifferent(pairs: readonly Pair[], side: string, otherSide: string): void {
  const seen = new Map<string, number>();
  for (const [index, [{ keys, path }]] of pairs.entries()) {
    const key = JSON.stringify(keys);
    const first = seen.get(key);
    seen.set(key, index);
    if (first === undefined) continue;
    const message = `pathMap: directories.${first} and directories.${index} have the same path for the ${side}, ${JSON.stringify(path)}, so a path in it has two places for the ${otherSide}. Nothing was mapped. Remove one of them.`;
    throw new InvalidParamsError(message);
  }
}

/** Converts paths and `file:` URIs from the first directories to the second ones. */
function conversion(pairs: readonly Pair[]): (path: string) => string {
  const longestFirst = [...pairs].sort(([one], [other]) => other.keys.length - one.keys.length);
  return (path) => {
    const uri = fileUriOf(path);
    for (const [from, to] of longestFirst) {
      const read = uri ? from.syntax.readUri(uri) : from.syntax.readPath(path);
      if (!read || !contains(from, read)) continue;
      const rest = { ...read, names: read.names.slice(from.names.length) };
      // No file on both sides can have such a name.
      if (!rest.names.every(({ name }) => from.syntax.accepts(name) && to.syntax.accepts(name))) return path;
      return uri ? writeUri(to, rest, uri) : writePath(to, rest);
    }
    return path;
  };
}

function fileUriOf(text: string): URL | undefined {
  if (!/^file:/i.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function contains({ syntax, keys }: Directory, path: ReadPath): boolean {
  const found = syntax.keysOf(path);
  return keys.every((key, index) => key === found[index]);
}

function writePath({ syntax, root, names }: Directory, rest: ReadPath): string {
  const { separator } = syntax;
  const all = [...names, ...rest.names].map(({ name }) => name);
  return root + all.join(separator) + (rest.hasEnd && all.length > 0 ? separator : '');
}

function writeUri({ syntax, root, names }: Directory, rest: ReadPath, { search, hash }: URL): string {
  // What follows the directory is encoded already, and stays as the sender has spelled it.
  const all = [...names.map(({ name }) => encoded(name)), ...rest.names.map(({ spelling }) => spelling)];
  const end = rest.hasEnd && all.length > 0 ? '/' : '';
  return encoded(syntax.uriOf(root)) + all.join('/') + end + search + hash;
}

/** A part of a path in a URI. Half of a pair of UTF-16 code units cannot be encoded. */
function encoded(text: string): string {
  return encodeURI(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[?#]/g, encodeURIComponent);
}
