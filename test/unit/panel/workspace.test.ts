import { expect, test } from 'vitest';
import {
  foldersOf,
  insidePath,
  isInside,
  isUriInside,
  linkedFile,
  localPath,
} from '../../../src/ui/panel/workspace.ts';

const cwd = '/home/user/project';
const folders = foldersOf({ cwd });
const onWindows = ['C:\\project'];

test('the folders of a workspace are its directory and the others', () => {
  expect(foldersOf({ cwd })).toEqual([cwd]);
  expect(foldersOf({ cwd, additionalDirectories: ['/home/user/other'] })).toEqual([cwd, '/home/user/other']);
});

test.each([
  [cwd, true],
  [`${cwd}/a/b`, true],
  [`${cwd}-2`, false],
  [`${cwd}/..`, false],
  ['..', false],
  ['/', false],
])('%j is inside: %j', (path, expected) => {
  expect([isInside(path, folders), insidePath(path, folders) !== undefined]).toEqual([expected, expected]);
});

test.each([
  ['/etc/hosts', folders, '/etc/hosts'],
  ['C:\\a', folders, undefined],
  ['/etc/hosts', [], undefined],
  ['D:\\a\\b', onWindows, 'D:\\a\\b'],
  ['d:/a', onWindows, 'd:\\a'],
  ['a\\b', onWindows, undefined],
  ['/a', onWindows, undefined],
  ['\\\\server\\share\\a', onWindows, undefined],
  ['\\\\?\\C:\\a', onWindows, undefined],
])('%j on a disk of the machine of %j is %j', (path, workspace, expected) => {
  expect(localPath(path, workspace)).toBe(expected);
});

test.each([
  [`file://${cwd}/a.ts`, true],
  [`FILE://${cwd}/a.ts`, true],
  [`file://${cwd}/a/..`, false],
  [`file://${cwd}/a/%2E%2E`, false],
  [`https://example.com${cwd}/a.ts`, false],
  [`xfile://${cwd}/a.ts`, false],
  [`${cwd}/a.ts`, false],
  ['file://[', false],
])('the URI %j is inside: %j', (uri, expected) => {
  expect(isUriInside(uri, folders)).toBe(expected);
});

test.each<[link: string, path: string | undefined, line?: number]>([
  ['src/a.ts', 'src/a.ts'],
  [`${cwd}/a.ts:3`, 'a.ts', 3],
  [`file://${cwd}/a.ts#L3`, 'a.ts', 3],
  ['src/a.ts#L12', 'src/a.ts', 12],
  ['src/a.ts#12', 'src/a.ts', 12],
  ['src/a.ts#L12-L20', 'src/a.ts', 12],
  ['src/a.ts#L12:5', 'src/a.ts', 12],
  ['src/a.ts:7', 'src/a.ts', 7],
  ['src/a.ts:12:34', 'src/a.ts', 12],
  ['src/a.ts:12abc', 'src/a.ts:12abc'],
  ['src/a.ts:0', 'src/a.ts'],
  ['src/file:x.ts', 'src/file:x.ts'],
  ['a%20b.ts', 'a b.ts'],
  ['a%zz.ts', 'a%zz.ts'],
  ['a\nb.ts:3', undefined],
  ['../secret', undefined],
  ['src/..', undefined],
  ['vscode:settings', undefined],
  ['\\a.ts', undefined],
  ['/etc/hosts', undefined],
])('the link %j leads to %j, line %j', (link, path, line) => {
  const expected = path === undefined ? undefined : { path: `${cwd}/${path}`, line: line ?? null };
  expect(linkedFile(link, cwd, folders)).toEqual(expected);
});
