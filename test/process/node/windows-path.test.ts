import { expect, test } from 'vitest';
import { windowsPathError } from '../../../src/node/process/windows-path.ts';

const folders = ['C:\\work', '\\\\server\\share\\project'];

test.each([
  ['C:\\work\\a.txt'],
  ['c:/work/sub folder/a.b.txt'],
  ['C:\\work\\context.txt'],
  ['C:\\work\\com10'],
  ['C:\\work\\.gitignore'],
  ['\\\\SERVER\\Share\\project\\a.txt'],
  ['//server/share/other'],
  ['D:\\elsewhere'],
])('%s can be checked with the file system', (path) => {
  expect(windowsPathError(path, folders)).toBeUndefined();
});

test.each([
  ['\\\\evil\\share\\a.txt', 'outside the directories'],
  ['//evil/share/a.txt', 'outside the directories'],
  ['\\\\server\\other\\a.txt', 'outside the directories'],
  ['\\\\?\\C:\\work\\a.txt', 'device namespace'],
  ['\\\\.\\PhysicalDrive0', 'device namespace'],
  ['\\\\?\\UNC\\evil\\share\\a.txt', 'device namespace'],
  ['C:\\work\\a.txt:stream', 'alternate data stream'],
  ['C:\\work\\sub:stream\\a.txt', 'alternate data stream'],
  ['C:\\work\\CON', 'names a device'],
  ['C:\\work\\nul.txt', 'names a device'],
  ['C:\\work\\COM1 .log', 'names a device'],
  ['C:\\work\\aux\\a.txt', 'names a device'],
  ['C:\\work\\LPT³', 'names a device'],
  ['C:\\work\\a.txt.', 'a dot or a space'],
  ['C:\\work\\folder \\a.txt', 'a dot or a space'],
  [`C:\\work\\${'x'.repeat(256)}\\a.txt`, 'more than 255 characters'],
])('[security: windows-paths] %s is refused before any call of the file system', (path, message) => {
  const error = windowsPathError(path, folders);
  expect(error?.code).toBe(-32602);
  expect(error?.message).toContain(message);
});
