import { EventEmitter, FileSystemError, FileType } from 'vscode';

const files = { '/project/read-me.md': '# In memory\n' };
const folders = ['/', '/project'];
const times = { ctime: 0, mtime: 0 };

const textOf = (uri) => {
  const text = files[uri.path];
  if (text === undefined) throw FileSystemError.FileNotFound(uri);
  return text;
};
const refuse = (uri) => {
  throw FileSystemError.NoPermissions(uri);
};

/** A file system with one file: for a workspace without a folder on a disk. */
export const memoryFiles = {
  onDidChangeFile: new EventEmitter().event,
  watch: () => ({ dispose() {} }),
  stat(uri) {
    if (folders.includes(uri.path)) return { type: FileType.Directory, size: 0, ...times };
    return { type: FileType.File, size: textOf(uri).length, ...times };
  },
  readDirectory: ({ path }) =>
    path === '/' ? [['project', FileType.Directory]] : [['read-me.md', FileType.File]],
  readFile: (uri) => new TextEncoder().encode(textOf(uri)),
  writeFile: refuse,
  createDirectory: refuse,
  delete: refuse,
  rename: refuse,
};
