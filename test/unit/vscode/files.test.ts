import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/core/client/requests/handlers.ts';
import { difference } from '../../../src/ui/vscode/documents.ts';
import { workspaceFiles } from '../../../src/ui/vscode/files.ts';
import { runs } from '../../support/runs.ts';
import { dirtyDocument, foldersWith, modelOf, uriOf } from '../../support/vscode-model.ts';

// The files are those of a file system that the browser has: only their signal is used of the context.
const context = { signal: new AbortController().signal } as HandlerContext;
const link = 64;
const firstLine = { line: 1, limit: 1 };

/** A virtual file system. A text is a file, a number the type of something else. */
function virtual(initial: Readonly<Record<string, string | number>>, isTrusted = true) {
  const content = new Map(Object.entries(initial));
  const notFound = (uri: unknown) => Object.assign(new Error(`no ${uri}`), { code: 'FileNotFound' });
  const found = (uri: { toString(): string }) => {
    const value = content.get(uri.toString());
    if (value === undefined) throw notFound(uri);
    return value;
  };
  const vscode = modelOf({
    workspace: {
      isTrusted,
      workspaceFolders: foldersWith('vscode-vfs://github/me/repo'),
      textDocuments: [
        dirtyDocument(uriOf('vscode-vfs://github/me/repo/open.txt'), 'one\ntwo\nthree'),
        dirtyDocument(uriOf('untitled:/me/repo/a.txt'), 'untitled'),
      ],
      fs: {
        stat: async (uri) => {
          const value = found(uri);
          return typeof value === 'string' ? { type: 1, size: value.length } : { type: value, size: 0 };
        },
        readFile: async (uri) => new TextEncoder().encode(String(found(uri))),
        writeFile: async (uri, bytes) => void content.set(uri.toString(), new TextDecoder().decode(bytes)),
      },
    },
  });
  const { readTextFile, writeTextFile } = workspaceFiles(vscode);
  return {
    vscode,
    content,
    read: async (path: string, range: { line?: number; limit?: number } = {}) =>
      (await readTextFile({ path, ...range }, context)).content,
    write: async (path: string, text: string) => writeTextFile({ path, content: text }, context),
  };
}

const root = 'vscode-vfs://github/me/repo';
const files = () =>
  virtual({
    [`${root}/src`]: 2,
    [`${root}/src/a.txt`]: 'eins\r\nzwei\nü 😀',
    [`${root}/link`]: 2 | link,
    [`${root}/link/a.txt`]: 'outside',
    [`${root}/file`]: 1 | link,
  });

describe('the files of a virtual workspace', () => {
  test('are read and written through VS Code', async () => {
    const { read, write, content } = files();
    expect(await read('/me/repo/src/a.txt')).toBe('eins\r\nzwei\nü 😀');
    await write('/me/repo/src/new/b.txt', 'new\r\n');
    expect(content.get(`${root}/src/new/b.txt`)).toBe('new\r\n');
  });

  test('are given in lines, counted from 1', async () => {
    const { read } = files();
    expect(await read('/me/repo/src/a.txt', { line: 2 })).toBe('zwei\nü 😀');
    expect(await read('/me/repo/src/a.txt', { line: 1, limit: 1 })).toBe('eins\r\n');
    expect(await read('/me/repo/src/a.txt', { line: 4 })).toBe('');
    expect(await read('/me/repo/open.txt', { line: 2, limit: 1 })).toBe('two\n');
  });

  test('are given up to 32 MiB, and empty ones in lines as empty', async () => {
    const { stat, readFile } = files().vscode.workspace.fs;
    let size = 32 * 1024 * 1024;
    const vscode = modelOf({
      workspace: {
        workspaceFolders: foldersWith(root),
        fs: {
          stat: async (uri) => ({ ...(await stat(uri)), size }),
          readFile: async (uri) => (size === 0 ? new Uint8Array() : readFile(uri)),
          writeFile: async () => {},
        },
      },
    });
    const read = () =>
      workspaceFiles(vscode).readTextFile({ ...firstLine, path: '/me/repo/src/a.txt' }, context);
    expect(await read()).toEqual({ content: 'eins\r\n' });
    size++;
    await expect(read()).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/is larger than 33554432 bytes/),
    });
    size = 0;
    expect(await read()).toEqual({ content: '' });
  });

  test('are found by paths with empty names and with dots', async () => {
    expect(await files().read('/me/repo//src/./a.txt')).toBe('eins\r\nzwei\nü 😀');
  });

  test('have names as they are: with a backslash, and with the letters of a drive', async () => {
    const { read } = virtual({ [`${root}/a%5Cb.txt`]: 'backslash', [`${root}/C:`]: 'drive' });
    expect(await read('/me/repo/a\\b.txt')).toBe('backslash');
    expect(await read('/me/repo/C:')).toBe('drive');
  });

  test.each([
    ['/Me/repo', '/me/repo/a.txt'],
    ['/Xc:', '/xC:/a.txt'],
    ['/c:X', '/c:x/a.txt'],
  ])('are not those of the folder %s with the path %s', async (folder, path) => {
    const roots = () => [uriOf(`vscode-vfs://github${folder}`)];
    const { readTextFile } = workspaceFiles(files().vscode, { roots });
    await expect(readTextFile({ path }, context)).rejects.toThrow(/outside the directories/);
  });

  test('are those of the innermost folder', async () => {
    const { vscode } = files();
    const outer = 'vscode-vfs://other/me';
    for (const folders of [
      [outer, root],
      [root, outer],
    ]) {
      const handlers = workspaceFiles(vscode, { roots: () => folders.map(uriOf) });
      const { content } = await handlers.readTextFile({ ...firstLine, path: '/me/repo/src/a.txt' }, context);
      expect(content).toBe('eins\r\n');
    }
  });

  test.each(['c:/work/a.txt', 'C:\\work\\.\\a.txt'])('are found by a path of Windows: %s', async (path) => {
    const { vscode, content } = virtual({ 'file:///c:/work/a.txt': 'eins\r\n' });
    const folder = { ...uriOf('file:///c:/work'), fsPath: 'c:\\work' };
    const { readTextFile, writeTextFile } = workspaceFiles(vscode, { roots: () => [folder] });
    expect(await readTextFile({ ...firstLine, path }, context)).toEqual({ content: 'eins\r\n' });
    await writeTextFile({ path, content: 'new' }, context);
    expect(content.get('file:///c:/work/a.txt')).toBe('new');
    for (const other of ['d:/work/a.txt', 'c:/Work/a.txt', 'c:work/a.txt', '1:/work/a.txt'])
      await expect(readTextFile({ ...firstLine, path: other }, context)).rejects.toMatchObject({
        code: -32602,
      });
  });

  test('that VS Code refuses are refused with its reason', async () => {
    const denied = Object.assign(new Error('denied'), { code: 'NoPermissions' });
    const { fs } = files().vscode.workspace;
    const call = async (fails: 'stat' | 'readFile' | 'writeFile', error: Error) => {
      const workspace = {
        workspaceFolders: foldersWith(root),
        fs: {
          ...fs,
          [fails]: async () => {
            throw error;
          },
        },
      };
      const { readTextFile, writeTextFile } = workspaceFiles(modelOf({ workspace }));
      const path = '/me/repo/src/a.txt';
      return fails === 'writeFile'
        ? writeTextFile({ path, content: '' }, context)
        : readTextFile({ ...firstLine, path }, context);
    };
    for (const fails of ['stat', 'readFile', 'writeFile'] as const) {
      await expect(call(fails, denied)).rejects.toMatchObject({
        code: -32603,
        message: expect.stringMatching(/refused to use .+: NoPermissions\.$/),
        data: { path: expect.stringMatching(/^\/me\/repo\/src/) },
      });
      await expect(call(fails, new Error('unknown'))).rejects.toThrow(/: an unknown error\.$/);
    }
  });

  test('that are open are written through their documents', async () => {
    const { write, content } = files();
    // The document of the model has this text, and cannot be saved.
    await expect(write('/me/repo/open.txt', 'one\ntwo\nthree')).rejects.toThrow(/could not save/);
    expect(content.has(`${root}/open.txt`)).toBe(false);
  });

  test('that are open have their unsaved text, and documents of other schemes do not count', async () => {
    const { read } = files();
    expect(await read('/me/repo/open.txt')).toBe('one\ntwo\nthree');
    await expect(read('/me/repo/a.txt')).rejects.toMatchObject({ code: -32002 });
  });

  test.each([
    ['outside of the folders', '/me/other/a.txt', /outside the directories.+\/me\/repo/],
    ['in a folder whose name begins like one', '/me/repo-private/a.txt', /outside the directories/],
    ['with ..', '/me/repo/../other/a.txt', /contains "\.\."/],
    ['that is relative', 'src/a.txt', /relative path/],
    ['of a folder', '/me/repo/src', /not a file/],
    ['of the folder of the workspace', '/me/repo', /names a directory/],
    ['through a link to a folder', '/me/repo/link/a.txt', /link/],
    ['of a link', '/me/repo/file', /link/],
  ])('a path %s is refused', async (_name, path, message) => {
    const { read, write, content } = files();
    const before = [...content];
    for (const call of [read(path), write(path, 'overwritten')]) {
      await expect(call).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    }
    expect([...content]).toEqual(before);
  });

  test('are refused in a workspace that is not trusted', async () => {
    const { read, write } = virtual({ [`${root}/a.txt`]: 'a' }, false);
    for (const call of [read('/me/repo/a.txt'), write('/me/repo/a.txt', 'b')]) {
      await expect(call).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining('not trusted'),
      });
    }
  });
});

/** Characters of two units, some with the first or the second unit of another one, and the least and greatest units. */
const twoUnits = [
  '\u{1f600}',
  '\u{1f603}',
  '\u{1fa00}',
  '\u{10000}',
  '\u{10001}',
  '\u{10400}',
  '\u{103ff}',
  '\u{107ff}',
];
const text = fc
  .array(fc.constantFrom('a', '\n', 'é', ...twoUnits), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('what differs between two texts gives the second one when it is replaced, and splits no character', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { start, end, replacement } = difference(before, after);
      expect(start).toBeLessThanOrEqual(end);
      expect(before.slice(0, start) + replacement + before.slice(end)).toBe(after);
      for (const part of [before.slice(0, start), before.slice(start, end), before.slice(end), replacement]) {
        expect(part).not.toMatch(/\p{Surrogate}/u);
      }
    }),
    { numRuns: runs(400) },
  );
});

test('only what differs is replaced', () => {
  expect(difference('a\ue000', 'b\ue000')).toEqual({ start: 0, end: 1, replacement: 'b' });
  for (const [before, after] of [
    ['\u{10000}', '\u{10001}'],
    ['\u{10000}', '\u{10400}'],
  ] as const)
    expect(difference(before, after)).toEqual({ start: 0, end: 2, replacement: after });
  expect(difference('same', 'same')).toEqual({ start: 4, end: 4, replacement: '' });
});

test('requests for one file are served in the order in which they arrive', async () => {
  const { read, write } = files();
  const path = '/me/repo/src/a.txt';
  const texts = ['A', 'B', 'C'];
  const reads = texts.map((text, index) => {
    void write(index === 1 ? '/me/repo//src/a.txt' : path, text);
    return read(path);
  });
  expect(await Promise.all(reads)).toEqual(texts);
});
