/** One name in a path: a folder or a file. */
export interface PathName {
  readonly name: string;
  /** How the path, or the URI, spells it. */
  readonly spelling: string;
}

/** An absolute path, taken apart. It has neither `.` nor `..`. */
export interface ReadPath {
  /** The root with its separator: `/`, `C:\` or `\\server\share\`. */
  readonly root: string;
  readonly names: readonly PathName[];
  /** Whether a separator follows the last name. */
  readonly hasEnd: boolean;
}

/** How one kind of system writes paths and `file:` URIs. */
export interface PathSyntax {
  readonly separator: '/' | '\\';
  /** Returns `undefined` for what is no absolute path here. */
  readPath(path: string): ReadPath | undefined;
  /** Returns `undefined` for the URI of a file that is not on this kind of system. */
  readUri(uri: URL): ReadPath | undefined;
  /** The URI of a root, which ends with a slash, before it is encoded. */
  uriOf(root: string): string;
  /** Whether a file can have this name here. */
  accepts(name: string): boolean;
  /** The root and the names, as the file system compares them. */
  keysOf(path: Pick<ReadPath, 'root' | 'names'>): readonly string[];
}

/** Paths of Linux, macOS and other systems of this family. Upper and lower case differ. */
export const posix: PathSyntax = {
  separator: '/',
  readPath: (path) => (path.startsWith('/') ? readNames('/', namesIn(path.split('/'))) : undefined),
  readUri({ host, pathname }) {
    const names = host === '' ? decoded(pathname.split('/')) : undefined;
    return names?.every(({ name }) => !name.includes('/')) ? readNames('/', names) : undefined;
  },
  uriOf: () => 'file:///',
  accepts: () => true,
  keysOf: ({ root, names }) => [root, ...names.map(({ name }) => name)],
};

const separators = /[\\/]/;
const drive = /^([A-Za-z]:)[\\/]/;
const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/;

/** The prefix of a long path, of a share or of a drive. The rest names the same file without it. */
const longShare = /^\\\\\?\\UNC\\/i;
const longDrive = /^\\\\\?\\(?=[A-Za-z]:\\)/;

/**
 * The server of the Linux distributions has two names.
 *
 * @see https://learn.microsoft.com/en-us/windows/wsl/release-notes#build-21354
 */
const otherLinuxServer = /^\\\\wsl\.localhost\\/;
const linuxServer = '\\\\wsl$\\';

/**
 * Paths of Windows, with either separator: those of a drive, and those of a share. Upper and lower case do not differ,
 * except inside of a Linux distribution.
 */
export const windows: PathSyntax = {
  separator: '\\',
  readPath(given) {
    const path = given.replace(longShare, '\\\\').replace(longDrive, '');
    const [start = '', letter] = drive.exec(path) ?? [];
    if (letter) return readNames(`${letter}\\`, namesIn(path.slice(start.length).split(separators)));
    const [root, server, folder] = share.exec(path) ?? [];
    if (!root) return undefined;
    return readNames(`\\\\${server}\\${folder}\\`, namesIn(path.slice(root.length).split(separators)));
  },
  readUri({ host, pathname }) {
    const [, first, ...names] = decoded(pathname.split('/')) ?? [];
    if (!first || [first, ...names].some(({ name }) => separators.test(name))) return undefined;
    if (host !== '') return first.name === '' ? undefined : readNames(`\\\\${host}\\${first.name}\\`, names);
    return drive.test(`${first.name}/`) ? readNames(`${first.name}\\`, names) : undefined;
  },
  uriOf: (root) => `file:${root.startsWith('\\\\') ? '' : '///'}${root.replaceAll('\\', '/')}`,
  // A name with a colon is another stream of a file. Dots and spaces at the end of a name are ignored, so that other
  // names than `..` could lead upwards.
  accepts: (name) => !/[\\:]|^[. ]+$/.test(name),
  keysOf({ root, names }) {
    const key = root.toLowerCase().replace(otherLinuxServer, () => linuxServer);
    const isLinux = key.startsWith(linuxServer);
    return [key, ...names.map(({ name }) => (isLinux ? name : name.toLowerCase()))];
  },
};

function namesIn(spellings: readonly string[]): readonly PathName[] {
  return spellings.map((spelling) => ({ name: spelling, spelling }));
}

/** The names that a URI spells. `undefined` if they are not encoded correctly. */
function decoded(spellings: readonly string[]): readonly PathName[] | undefined {
  try {
    return spellings.map((spelling) => ({ name: decodeURIComponent(spelling), spelling }));
  } catch {
    return undefined;
  }
}

/** Resolves `.` and `..`. A path does not lead above its root. */
function readNames(root: string, all: readonly PathName[]): ReadPath {
  const names: PathName[] = [];
  for (const each of all) {
    if (each.name === '..') names.pop();
    else if (each.name !== '' && each.name !== '.') names.push(each);
  }
  return { root, names, hasEnd: names.length > 0 && all.at(-1)?.name === '' };
}
