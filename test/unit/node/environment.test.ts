import { expect, test } from 'vitest';
import { mergeEnvironment } from '../../../src/node/environment.ts';
import { taskkill } from '../../../src/node/process-group.ts';

test('changes replace variables, and undefined removes one', () => {
  const base = { PATH: '/bin', KEY: 'old', GONE: 'x', UNSET: undefined };
  const changes = { KEY: 'new', GONE: undefined, ADDED: '' };
  expect(mergeEnvironment(base, changes, 'linux')).toEqual({ PATH: '/bin', KEY: 'new', ADDED: '' });
});

test('names that differ in case are one variable on Windows, and two on other systems', () => {
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'win32')).toEqual({ PATH: 'b' });
  expect(mergeEnvironment({ Path: 'a' }, { path: undefined }, 'win32')).toEqual({});
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'linux')).toEqual({ Path: 'a', PATH: 'b' });
});

test('a variable can have the name of a property of Object', () => {
  expect(Object.keys(mergeEnvironment({ ['__proto__']: 'a' }, {}, 'linux'))).toEqual(['__proto__']);
});

test('a process tree on Windows is ended with taskkill from the system directory', () => {
  expect(taskkill([42, 7], { SystemRoot: 'D:\\WINNT' })).toEqual({
    command: 'D:\\WINNT\\System32\\taskkill.exe',
    args: ['/pid', '42', '/pid', '7', '/T', '/F'],
  });
  expect(taskkill([42], {}).command).toBe('C:\\Windows\\System32\\taskkill.exe');
});
