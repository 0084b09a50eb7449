import { expect, test } from 'vitest';
import { taskkill } from '../../../src/node/process/process-group.ts';

test('a process tree on Windows is ended with taskkill from the system directory', () => {
  expect(taskkill([42, 7], { SystemRoot: 'D:\\WINNT' })).toEqual({
    command: 'D:\\WINNT\\System32\\taskkill.exe',
    args: ['/pid', '42', '/pid', '7', '/T', '/F'],
  });
  expect(taskkill([42], {}).command).toBe('C:\\Windows\\System32\\taskkill.exe');
});
