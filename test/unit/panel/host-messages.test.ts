import { expect, test } from 'vitest';
import { readHostMessage } from '../../../src/panel/host-messages.ts';
import { defaultMessageCharacters, panelVersion } from '../../../src/panel/messages.ts';

const method = { methodId: 'key', name: 'Key', description: null, type: 'agent' };
const elicitation = { sessionId: 's1', message: 'Which?' };
const field = {
  name: 'color',
  title: 'Color',
  description: null,
  type: 'string',
  required: true,
  default: ['red'],
  choices: [{ value: 'red', title: 'Red' }],
  minimum: 1,
  maximum: null,
  format: null,
};
const option = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
const choice = { value: 'small', name: 'Small', description: null, group: null };

/** A state in which each part has something. */
const state = {
  phase: 'open',
  nextAttemptAt: 5,
  agent: { name: 'one', title: null, version: '1' },
  features: { 'session.list': true },
  authMethods: [method],
  sessions: [
    {
      sessionId: 's1',
      cwd: '/a',
      title: 'A',
      updatedAt: null,
      additionalDirectories: ['/b'],
      isSavedOnly: true,
    },
    { sessionId: 's2', cwd: '/a' },
  ],
  sessionId: 's1',
  cwd: '/a',
  readOnly: null,
  loading: { updates: 3 },
  questions: [
    'q0',
    {
      kind: 'permission',
      id: 'q1',
      sessionId: 's1',
      title: 'Run',
      description: null,
      toolCallKey: 't1',
      options: [option],
      subagent: null,
    },
    { kind: 'form', id: 'q2', ...elicitation, fields: [field] },
    { kind: 'url', id: 'q3', ...elicitation, url: 'https://a.example/', host: 'a.example' },
    { kind: 'login', id: 'q4', methods: [method], reason: 'Log in.' },
  ],
  waiting: [{ sessionId: 's2', count: 1 }],
  draft: 'a',
  problem: { message: 'No.', detail: null, code: 'remote', remedy: 'login' },
  actions: ['openLink'],
  agents: [
    {
      id: 'one',
      name: 'One',
      description: null,
      isInstalled: true,
      installedVersion: '1',
      testedVersion: null,
      installCommand: null,
      note: null,
      login: 'needed',
      isChosen: true,
    },
  ],
  initial: {
    settings: [
      {
        settingId: 'model',
        name: 'Model',
        description: null,
        category: null,
        value: 'small',
        choices: [choice],
      },
    ],
    commands: [{ name: 'review', description: 'Reviews', input: null }],
  },
};
const head = { panel: panelVersion, run: 'r', page: 'p', have: 1, sent: 2 };
const change = {
  ...head,
  type: 'change',
  number: 2,
  base: 1,
  answers: 1,
  maxCharacters: 5,
  state,
  conversation: { sessionId: 's1', isWhole: false, patch: [{ op: 'set', path: ['info'], value: {} }] },
  results: [{ number: 1, value: { a: [1] }, error: state.problem }],
};

test.each([
  ['an object', change],
  ['a text', JSON.stringify(change)],
])('%s of the host is read with everything in it', (_, message) => {
  expect(readHostMessage(message)).toStrictEqual(change);
});

test('what a host of an earlier version does not send is absent', () => {
  const { nextAttemptAt, readOnly, initial, ...earlier } = state;
  const { maxCharacters: _, ...message } = change;
  const nothing = { nextAttemptAt: null, readOnly: null, initial: null };
  expect(readHostMessage({ ...message, state: earlier })).toStrictEqual({
    ...change,
    maxCharacters: defaultMessageCharacters,
    state: { ...earlier, ...nothing },
  });
  expect([nextAttemptAt, readOnly, initial]).not.toEqual([null, null, null]);
});

test.each([
  [{ panel: panelVersion + 1, run: 'r' }, 'version'],
  [{ panel: panelVersion, run: 'r' }, null],
  [{ panel: 'x', run: 'r' }, null],
  [{ ...change, state: { ...state, waiting: [{ sessionId: 's2', count: -1 }] } }, null],
  [{ ...change, conversation: { ...change.conversation, patch: [{ path: [] }] } }, null],
  [{ ...change, state: { ...state, initial: { ...state.initial, commands: [{ name: 'x' }] } } }, null],
  ['{', null],
])('%j is %j', (message, expected) => {
  expect(readHostMessage(message)).toBe(expected);
});
