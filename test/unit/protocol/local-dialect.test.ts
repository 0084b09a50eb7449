import * as v from 'valibot';
import { parse } from 'valibot';
import { describe, expect, test } from 'vitest';
import type { CallName, Calls } from '../../../src/protocol/calls.ts';
import { inEditorPaths } from '../../../src/protocol/path-map.ts';
import { replacePaths } from '../../../src/protocol/replace-paths.ts';
import { pathMap } from '../../../src/protocol/shared-directories.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';
import {
  absolutePath,
  lenient,
  lenientArray,
  nonEmptyArray,
  nullAsEmpty,
  nullableUri,
  nullish,
  openVariant,
  optional,
  optionalNullable,
  path,
  record,
  struct,
  uri,
  variant,
  withDefault,
} from '../../../src/protocol/vocabulary.ts';

const map = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);
const link = { type: 'resource_link', name: 'a', uri: 'file:///C:/work/a' } as const;
const directories = { cwd: 'C:\\work', additionalDirectories: ['C:\\work\\lib'] };
const open = { ...directories, sessionId: 's1', systemPrompt: { mode: 'append', content: [link] } } as const;
const message = { sessionId: 's1', prompt: [link] };
const session = { sessionId: 's1' };

/** An input of each call, with a path wherever it can have one. */
const inputs: { readonly [K in CallName]: Calls[K][0] } = {
  newSession: open,
  loadSession: open,
  resumeSession: open,
  forkSession: open,
  sessionOptions: directories,
  listSessions: { cwd: 'C:\\work' },
  closeSession: session,
  deleteSession: session,
  prompt: message,
  steer: message,
  inject: message,
  revoke: { ...session, messageId: 'm1' },
  cancel: session,
  setMode: { ...session, modeId: 'm' },
  setModel: { ...session, modelId: 'm' },
  setConfigOption: { ...session, configId: 'c', value: 'v' },
  cancelToolCall: { ...session, toolCallId: 'c1' },
  cancelTerminal: { ...session, terminalId: 't1' },
  login: { methodId: 'm' },
  logout: {},
};

describe.each([v1, v2Markers, v2Baseline])('the calls of $name', (dialect) => {
  const calls = inEditorPaths(map, dialect).calls;
  // Object.keys does not keep the type of the keys.
  const names = (Object.keys(calls) as CallName[]).filter((name) => calls[name] !== undefined);

  test.each(names)('%s is written with the paths of the agent', (name) => {
    const call = calls[name];
    // The table has the input of this very call.
    const written = call && parse(call.descriptor.params, call.encode(inputs[name] as never));
    const text = JSON.stringify(written);
    expect(text).not.toContain('C:');
    expect(text.includes('/mnt/c/work')).toBe(JSON.stringify(inputs[name]).includes('C:'));
  });
});

const upperCase = (text: string) => text.toUpperCase();

describe('a path is replaced', () => {
  const file = struct({ path, text: v.string() });

  test.each([
    ['itself', path, 'a', 'A'],
    ['as a URI', uri, 'a', 'A'],
    ['that the client sends', absolutePath, '/a', '/A'],
    ['in an object', file, { path: 'a', text: 'b' }, { path: 'A', text: 'b' }],
    ['that may be absent', struct({ path: optional(path) }), { path: 'a' }, { path: 'A' }],
    ['that may be null', struct({ path: optionalNullable(path) }), { path: 'a' }, { path: 'A' }],
    ['that may be malformed', struct({ path: lenient(path) }), { path: 'a' }, { path: 'A' }],
    ['that may be absent, null or malformed', struct({ uri: nullableUri }), { uri: 'a' }, { uri: 'A' }],
    ['in a list', v.array(path), ['a', 'b'], ['A', 'B']],
    ['in a list that is not empty', nonEmptyArray(path), ['a'], ['A']],
    [
      'in a lenient list',
      struct({ list: nullish(lenientArray(file)) }),
      { list: [{ path: 'a' }] },
      { list: [{ path: 'A' }] },
    ],
    [
      'in a list with a default',
      struct({ list: withDefault(lenientArray(path), []) }),
      { list: ['a'] },
      { list: ['A'] },
    ],
    ['in a record', record(path), { key: 'a' }, { key: 'A' }],
    ['in an object that may be null', nullAsEmpty(file), { path: 'a' }, { path: 'A' }],
    ['in a variant', variant('type', { file }), { type: 'file', path: 'a' }, { type: 'file', path: 'A' }],
    [
      'in an open variant',
      openVariant('type', { file }),
      { type: 'file', path: 'a' },
      { type: 'file', path: 'A' },
    ],
    [
      'in an unknown variant',
      openVariant('type', { file }, { path }),
      { type: 'x', path: 'a' },
      { type: 'x', path: 'A' },
    ],
  ])('%s', (_, schema, given, expected) => {
    expect(replacePaths<unknown>(schema, given, upperCase)).toEqual(expected);
  });
});

describe('stays as it is:', () => {
  const schema = struct({ path: nullish(path), list: lenient(lenientArray(path)), text: v.string() });

  test.each([
    null,
    7,
    'a',
    [],
    ['a'],
    { text: 'a', other: 'a' },
    { path: null },
    { path: 7 },
    { path: ['a'] },
    { list: 'a' },
    { list: [7, null] },
  ])('%j', (given) => {
    expect(replacePaths<unknown>(schema, given, upperCase)).toBe(given);
  });

  test('an unknown variant without paths', () => {
    const given = { type: '_malformed', value: { path: 'a' } };
    expect(replacePaths(openVariant('type', { file: struct({ path }) }), given, upperCase)).toBe(given);
  });

  test('the part beside a replaced path', () => {
    const given = { path: 'a', list: ['B'], text: 'b' };
    const replaced = replacePaths(schema, given, upperCase);
    expect(replaced).toEqual({ path: 'A', list: ['B'], text: 'b' });
    expect(replaced.list).toBe(given.list);
    expect(given.path).toBe('a');
  });
});
