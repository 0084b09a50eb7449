import { expect, test } from 'vitest';
import { mergeEnvironment } from '../../../../src/node/environment/merge.ts';

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
