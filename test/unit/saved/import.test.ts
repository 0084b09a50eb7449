import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { AcpError, InvalidParamsError } from '../../../src/core/base/errors.ts';
import { packageVersion } from '../../../src/core/base/package-version.ts';
import { exportConversation } from '../../../src/records/saved/export.ts';
import { importConversation } from '../../../src/records/saved/import.ts';
import { emptyConversation } from '../../support/fold-any.ts';
import { conversation, message, terminal, text } from '../render/example.ts';

const one = conversation({ entries: [message('user', text('Hello.'))] });
const exported = () => JSON.parse(JSON.stringify(exportConversation(one)));

function failureOf(value: unknown): InvalidParamsError {
  try {
    importConversation(value);
  } catch (error) {
    if (error instanceof InvalidParamsError) return error;
    throw error;
  }
  throw new Error('The value was imported.');
}

test('an exported conversation names its format, its version and the program', () => {
  expect(exportConversation(one)).toEqual({
    format: 'acp-client-sdk/conversation',
    version: 2,
    madeBy: { name: 'acp-client-sdk', version: packageJson.version },
    conversation: one,
  });
  expect(packageVersion).toBe(packageJson.version);
});

test('an imported conversation is frozen, and the value that it came from is not', () => {
  const value = exported();
  expect(Object.isFrozen(importConversation(value).entries[0])).toBe(true);
  expect(Object.isFrozen(value.conversation.entries[0])).toBe(false);
});

test('a conversation that version 1.0.0 saved is read: without a format, with bytes and without suggestions', () => {
  const { output: _, ...rest } = terminal({ terminalId: 't1', droppedBytes: 7 });
  const { suggestions: __, ...saved } = emptyConversation('s1');
  const bytes = Buffer.from('✓ naïve\xff ').toString('latin1');
  const t2 = terminal({ terminalId: 't2' });
  const t1 = { ...rest, output: '✓ naïveÿ ', incompleteBytes: [0xe2, 0x9c] };
  const terminals = { t1: { ...rest, bytes: `${bytes}\xe2\x9c` }, t2 };
  for (const [before, after] of [
    [
      { ...saved, terminals },
      { t1, t2 },
    ],
    [
      { ...saved, terminals, suggestions: [] },
      { t1, t2 },
    ],
    [saved, {}],
  ] as const)
    expect(importConversation(before)).toStrictEqual({ ...saved, suggestions: [], terminals: after });
});

const task = { content: 'Read', priority: 'high', status: 'pending' };
const sent = { type: 'markdown', planId: 'p', content: '# Plan', _meta: null };

test.each<[string, object, object]>([
  ['a list', { entries: [task] }, { type: 'items', entries: [task] }],
  ['its metadata', { entries: [], _meta: { a: 1 } }, { type: 'items', entries: [], _meta: { a: 1 } }],
  ['a document', { entries: [], other: sent }, { type: 'markdown', content: '# Plan' }],
  [
    'a document in a file',
    { entries: [], other: { ...sent, path: '/a' } },
    { type: 'markdown', content: '# Plan', path: '/a' },
  ],
  [
    'another type',
    { entries: [], other: { type: '_x', planId: 'p', a: [1], _meta: { a: 1 } }, _meta: { a: 1, b: 2 } },
    { type: '_x', a: [1], _meta: { a: 1, b: 2 } },
  ],
])('a plan that was saved before plans had types gets its type: %s', (_, saved, plan) => {
  const current = { planId: 'q', type: 'markdown', content: 'x' };
  const plans = [{ planId: 'p', ...saved }, current];
  const before = { ...exported().conversation, plans };
  const values = [before, { ...exported(), version: 1, conversation: before }];
  for (const value of values)
    expect(importConversation(value).plans).toStrictEqual([{ planId: 'p', ...plan }, current]);
  // Today each plan has a type.
  const error = failureOf({ ...exported(), conversation: before });
  expect(error.issues[0]?.path).toBe('conversation.plans.0.type');
});

test('a command of a version that knew no skills gets its type', () => {
  const command = { name: 'web', description: 'Search' };
  const value = { ...exported(), version: 1 };
  value.conversation.commands = [command, { ...command, type: 'skill' }];
  expect(importConversation(value).commands).toEqual([
    { ...command, type: 'command' },
    { ...command, type: 'skill' },
  ]);
});

test('fields that are not known stay', () => {
  const value = exported();
  value.conversation.later = { is: 'kept' };
  expect(importConversation(value)).toMatchObject({ later: { is: 'kept' } });
});

test('a newer version is refused with the program that wrote it', () => {
  const value = { ...exported(), version: 3, madeBy: { name: 'acp-client-sdk', version: '9.1.0' } };
  const error = failureOf(value);
  expect(error.issues[0]?.path).toBe('version');
  expect(error.message).toBe(
    'importConversation: version is 3, written by acp-client-sdk 9.1.0. This version of acp-client-sdk reads up to 2: update it.',
  );
});

const empty = emptyConversation('s1');
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

test.each<[string, unknown, RegExp]>([
  ['a text', '{}', /value must be an object; got a string\. Pass what JSON\.parse returns/],
  ['undefined', undefined, /value must be an object; got undefined/],
  ['a list', [], /value must be an object; got an array/],
  ['a function', () => {}, /value must be an object/],
  ['an empty object', {}, /format must be "acp-client-sdk\/conversation"/],
  ['another format', { format: 'x', version: 1 }, /format must be "acp-client-sdk\/conversation"/],
  ['no version', { ...exported(), version: undefined }, /version must be a whole number from 1/],
  ['a version that is no number', { ...exported(), version: '1' }, /version must be a whole number from 1/],
  ['a version of zero', { ...exported(), version: 0 }, /version must be a whole number from 1/],
  ['no conversation', { ...exported(), conversation: undefined }, /conversation is missing/],
  ['a cycle', cyclic, /cannot be written as JSON/],
  ['a bigint', { entries: 1n }, /cannot be written as JSON/],
  [
    'a getter that throws',
    {
      get format() {
        throw new Error('No.');
      },
    },
    /cannot be written as JSON/,
  ],
  ['a saved conversation without terminals', { sessionId: 's', entries: [] }, /plans is missing/],
  ['a saved plan that is no object', { ...empty, plans: [5] }, /plans\.0 must be/],
  ['a saved terminal that is no object', { ...empty, terminals: { t: null } }, /terminals\.t must be/],
  [
    'output in no bytes',
    { ...empty, terminals: { t: { ...terminal({}), output: undefined, bytes: 5 } } },
    /output is missing/,
  ],
  ['a saved command that is no object', { ...empty, commands: [5] }, /commands\.0 must be/],
  ['saved commands that are no list', { ...empty, commands: 5 }, /commands must be/],
  [
    'an entry of another kind',
    exportConversation(conversation({ entries: [{ ...message('user', text('x')), kind: 'x' as never }] })),
    /conversation\.entries\.0\.kind must be one of message, sessionMessage, toolCall, compaction, turnFailure, unknown/,
  ],
  [
    'a key twice',
    exportConversation(
      conversation({
        entries: [
          { ...message('user', text('x')), key: 'k' },
          { ...message('agent', text('y')), key: 'k' },
        ],
      }),
    ),
    /conversation\.entries\.1\.key is the key of an earlier entry/,
  ],
  [
    'a terminal under another id',
    exportConversation(conversation({ terminals: { a: terminal({ terminalId: 'b' }) } })),
    /conversation\.terminals\.a\.terminalId differs from the key of the terminal/,
  ],
])('%s is an error that says where and what', (_, value, says) => {
  const error = failureOf(value);
  expect(error.message).toMatch(says);
  expect(error.issues).toHaveLength(1);
  expect(AcpError.is(error)).toBe(true);
});
