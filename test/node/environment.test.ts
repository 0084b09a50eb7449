import { expect, test } from 'vitest';
import { mergeEnvironment } from '../../src/node/environment.ts';
import { taskkill } from '../../src/node/process-group.ts';

test('changes go over what is there, and undefined takes a variable away', () => {
  const base = { PATH: '/bin', KEY: 'old', GONE: 'x', UNSET: undefined };
  const changes = { KEY: 'new', GONE: undefined, ADDED: '' };
  expect(mergeEnvironment(base, changes, 'linux')).toEqual({ PATH: '/bin', KEY: 'new', ADDED: '' });
});

test('spellings of one name are one variable on Windows, and two elsewhere', () => {
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'win32')).toEqual({ PATH: 'b' });
  expect(mergeEnvironment({ Path: 'a' }, { path: undefined }, 'win32')).toEqual({});
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'linux')).toEqual({ Path: 'a', PATH: 'b' });
});

test('a name that means something to an object is a variable like any other', () => {
  expect(Object.keys(mergeEnvironment({ ['__proto__']: 'a' }, {}, 'linux'))).toEqual(['__proto__']);
});

test('a tree on Windows is ended with the taskkill of the system', () => {
  expect(taskkill(42, { SystemRoot: 'D:\\WINNT' })).toEqual({
    command: 'D:\\WINNT\\System32\\taskkill.exe',
    args: ['/pid', '42', '/T', '/F'],
  });
  expect(taskkill(42, {}).command).toBe('C:\\Windows\\System32\\taskkill.exe');
});
