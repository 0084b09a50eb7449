import * as v from 'valibot';
import { InvalidParamsError } from '../errors.ts';
import { issuesIn, listed } from '../issue.ts';
import { optionsObject, readInput, shown } from '../options.ts';
import { localDialect } from './local-dialect.ts';
import { createPathMap, type PathMap } from './path-map.ts';
import { type PathSyntax, posix, type ReadPath, windows } from './path-syntax.ts';

/** A folder that the editor and the agent see under two paths. */
export interface SharedFolder {
  /** The folder as the editor sees it: an absolute path, such as `C:\work` or `/home/me/work`. */
  readonly editor: string;
  /** The same folder as the agent sees it: an absolute path, such as `/mnt/c/work`. */
  readonly agent: string;
}

/** A folder at one side of a map, taken apart. */
interface Folder extends Omit<ReadPath, 'hasEnd'> {
  readonly syntax: PathSyntax;
  /** The root and the names, as the file system compares them. */
  readonly keys: readonly string[];
}

type Pair = readonly [from: Folder, to: Folder];

/**
 * Creates a map for an agent that sees other paths than the editor: in WSL, in a container, or on another host. Pass it
 * to `connect` as `paths`.
 *
 * The folder with the most names that contains a path decides where the path leads. Paths outside of all folders stay
 * as they are. `..` is resolved first, so that no path leads out of a folder.
 *
 * A path with a drive or a share (`C:\work`, `\\wsl$\Ubuntu\home`) is one of Windows, with either separator. Upper and lower
 * case do not differ in it, except below `\\wsl$` and `\\wsl.localhost`. A path that begins with `/` is one of another
 * system, in which they differ.
 *
 * @throws {@link InvalidParamsError} if a path is not absolute, or two folders have the same path at one side.
 *
 * @example
 * ```ts
 * const paths = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);
 * const connection = await connect(agent, { clientInfo, paths });
 * const session = await connection.newSession({ cwd: 'C:\\work\\project' });
 * ```
 */
export function pathMap(folders: readonly SharedFolder[]): PathMap {
  const pairs = readInput(() => checked(folders)).map(
    ({ editor, agent }): Pair => [folderOf(editor), folderOf(agent)],
  );
  assertDifferent(
    'editor',
    folders,
    pairs.map(([editor]) => editor),
  );
  assertDifferent(
    'agent',
    folders,
    pairs.map(([, agent]) => agent),
  );
  const toAgent = conversion(pairs);
  const toEditor = conversion(pairs.map(([editor, agent]) => [agent, editor]));
  const conversions = { toAgent, toEditor };
  return createPathMap(conversions, (dialect) => localDialect(dialect, conversions));
}

const absolute = v.custom<string>(
  (value) => typeof value === 'string' && syntaxOf(value) !== undefined,
  ({ input }) => `must be an absolute path, such as "/work" or "C:\\\\work"; got ${shown(input)}`,
);

const Folders = v.array(optionsObject({ editor: absolute, agent: absolute }));

function checked(folders: unknown): readonly SharedFolder[] {
  const result = v.safeParse(Folders, folders);
  if (result.success) return result.output;
  const issues = issuesIn(result.issues, 'folders');
  throw new InvalidParamsError(`pathMap: ${listed(issues)}. Nothing was mapped.`, { issues });
}

function syntaxOf(path: string): PathSyntax | undefined {
  return [posix, windows].find((syntax) => syntax.readPath(path));
}

function folderOf(path: string): Folder {
  const syntax = syntaxOf(path) ?? posix;
  // `checked` has refused other paths.
  const { root, names } = syntax.readPath(path) as ReadPath;
  return { syntax, root, names, keys: keysOf(syntax, root, names) };
}

function keysOf(syntax: PathSyntax, root: string, names: ReadPath['names']): readonly string[] {
  const keyOf = syntax.keyOf(root);
  // The letter of a drive and the name of a server are the same in upper and lower case everywhere.
  return [root.toLowerCase(), ...names.map(({ name }) => keyOf(name))];
}

function assertDifferent(
  side: keyof SharedFolder,
  folders: readonly SharedFolder[],
  parts: readonly Folder[],
): void {
  const seen = new Map<string, number>();
  for (const [index, { keys }] of parts.entries()) {
    const key = JSON.stringify(keys);
    const first = seen.get(key);
    seen.set(key, index);
    if (first === undefined) continue;
    const path = JSON.stringify(folders[index]?.[side]);
    const other = side === 'agent' ? 'editor' : 'agent';
    throw new InvalidParamsError(
      `pathMap: folders.${first} and folders.${index} have the same path for the ${side}, ${path}, so a path in it has two places for the ${other}. Nothing was mapped. Remove one of them.`,
    );
  }
}

/** Converts paths and `file:` URIs from the first folders to the second ones. */
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

function contains({ syntax, keys }: Folder, { root, names }: ReadPath): boolean {
  const found = keysOf(syntax, root, names);
  return keys.every((key, index) => key === found[index]);
}

function writePath({ syntax, root, names }: Folder, rest: ReadPath): string {
  const { separator } = syntax;
  const all = [...names, ...rest.names].map(({ name }) => name);
  return root + all.join(separator) + (rest.hasEnd && all.length > 0 ? separator : '');
}

function writeUri({ syntax, root, names }: Folder, rest: ReadPath, { search, hash }: URL): string {
  // What follows the folder is encoded already, and stays as the sender has spelled it.
  const all = [...names.map(({ name }) => encoded(name)), ...rest.names.map(({ spelling }) => spelling)];
  const end = rest.hasEnd && all.length > 0 ? '/' : '';
  return encoded(syntax.uriOf(root)) + all.join('/') + end + search + hash;
}

/** A part of a path in a URI. Half of a pair of UTF-16 code units cannot be encoded. */
function encoded(text: string): string {
  return encodeURI(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[?#]/g, encodeURIComponent);
}
