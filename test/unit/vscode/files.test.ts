import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/client/requests/handlers.ts';
import { difference } from '../../../src/vscode/documents.ts';
import { workspaceFiles } from '../../../src/vscode/files.ts';
import { dirtyDocument, foldersWith, modelOf, uriOf } from '../../support/vscode-model.ts';

// The files are those of a file system that the browser has: only their signal is used of the context.
const context = { signal: new AbortController().signal } as HandlerContext;
const link = 64;

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

const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '😀', '😃', '🀀', 'é'), { maxLength: 12 })
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
    { numRuns: 2000 },
  );
});

test('only what differs is replaced', () => {
  expect(difference('one\ntwo\nthree\n', 'one\nTWO\nthree\n')).toEqual({
    start: 4,
    end: 7,
    replacement: 'TWO',
  });
  expect(difference('same', 'same')).toEqual({ start: 4, end: 4, replacement: '' });
});
