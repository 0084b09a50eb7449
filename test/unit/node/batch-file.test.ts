import { expect, test } from 'vitest';
import { batchCommand, isBatchFile } from '../../../src/node/process/batch-file.ts';

const run = (...args: string[]) => batchCommand('C:/npm/npx.cmd', args, { SystemRoot: 'D:\\WINNT' });

test('a batch file is run by the shell of the system directory, without AutoRun and delayed expansion', () => {
  expect(run('-y', 'an agent')).toEqual({
    command: 'D:\\WINNT\\System32\\cmd.exe',
    args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', '""C:\\npm\\npx.cmd" "-y" "an agent""'],
  });
  expect(batchCommand('a.cmd', [], {})?.command).toBe('C:\\Windows\\System32\\cmd.exe');
});

test.each([
  ['a & b', '"a & b"'],
  ['" & calc & "', '""" & calc & """'],
  ['a\\"b', '"a\\\\""b"'],
  ['a\\\\', '"a\\\\\\\\"'],
  ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
  ['', '""'],
])('[security: batch-arguments] the argument %j is quoted as %s', (arg, quoted) => {
  expect(run(arg)?.args.at(-1)).toBe(`""C:\\npm\\npx.cmd" ${quoted}"`);
});

test.each(['a\nb', 'a\rb', 'a\0b'])('[security: batch-arguments] the argument %j cannot be passed', (arg) => {
  expect(run(arg)).toBeUndefined();
});

test('batch files are known by their extension', () => {
  expect(['a.cmd', 'A.BAT', 'a.cmd.exe', 'cmd'].map(isBatchFile)).toEqual([true, true, false, false]);
});
