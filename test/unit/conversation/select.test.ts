import { expect, test } from 'vitest';
import {
  changedEntries,
  findTerminal,
  findToolCall,
  pathsOf,
  textOf,
} from '../../../src/core/conversation/select.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { ConfigOption } from '../../../src/core/model/session.ts';
import { createConversationStore, emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { toolCall as call, conversation, message, subagent, terminal, text } from '../render/example.ts';

test('textOf joins the text blocks of a message', () => {
  const image = { type: 'image', mimeType: 'image/png', data: '' } as const;
  expect(textOf(message('agent', text('one '), image, text('two')))).toBe('one two');
  expect(textOf(message('agent', image))).toBe('');
});

test('toolCall finds a tool call by its id, and not the properties of Object.prototype', () => {
  const wanted = call({ toolCallId: 'call-2' });
  const { entries } = conversation({ entries: [message('user'), call({ toolCallId: 'call-1' }), wanted] });
  expect(findToolCall(conversation({ entries }), 'call-2')).toBe(wanted);
  expect(findToolCall(conversation({ entries }), 'constructor')).toBeUndefined();
});

test('findTerminal reads a terminal that an earlier version saved', () => {
  const { output: _, ...saved } = terminal({ terminalId: '__proto__' });
  const terminals = JSON.parse(JSON.stringify({ a: { ...saved, bytes: '\xc3\xa9' } }));
  expect(findTerminal({ terminals }, 'a')).toEqual({ ...saved, output: 'é' });
  expect(findTerminal({ terminals }, '__proto__')).toBeUndefined();
});

test('pathsOf has the files of diffs, where they were before, and the locations, each once', () => {
  const changes = [
    { operation: 'move', path: '/b', oldPath: '/a' },
    { operation: 'modify', path: '/c' },
    { operation: 'add', path: '/e' },
  ];
  const content = [
    { type: 'content', content: text('/not/a/path') },
    { type: 'diff', changes, patch: null },
  ] as const;
  const locations = [{ path: '/c', line: 3 }, { path: '/d' }];
  expect(pathsOf(call({ content, locations }))).toEqual(['/b', '/a', '/c', '/e', '/d']);
  expect(pathsOf(call({}))).toEqual([]);
});

test.each([undefined, null])('changedEntries returns all entries if nothing is drawn yet: %s', (nothing) => {
  const store = createConversationStore(emptyConversation('s1'));
  expect(changedEntries(nothing, store.getSnapshot())).toEqual([]);
  for (const messageId of ['1', '2']) {
    store.apply({ sessionUpdate: 'user_message', messageId, content: [{ type: 'text', text: 'Hi' }] });
  }
  const all = changedEntries(nothing, store.getSnapshot());
  expect(all).toEqual(store.getSnapshot().entries);
  expect(all).toHaveLength(2);
});

const shows = (terminalId: string) => ({ type: 'terminal' as const, terminalId });
const refersTo = (sessionId: string) => ({ type: 'session' as const, sessionId });
const words = { type: 'content' as const, content: text('x') };
const holder = conversation({
  entries: [
    message('user', text('Hi')),
    call({ key: 'nothing', content: [words] }),
    call({ key: 'w1', content: [words, shows('w1')] }),
    call({ key: 'w2', content: [shows('w2')] }),
    call({ key: 's1', content: [refersTo('s1'), words] }),
    call({ key: 's2', content: [refersTo('s2')] }),
  ],
  terminals: { w1: terminal({ terminalId: 'w1' }), s2: terminal({ terminalId: 's2' }) },
  subagents: [subagent({ sessionId: 's1' }), subagent({ sessionId: 'w2' })],
});
const { terminals, subagents, ...others } = holder;

test.each<[string, Partial<Conversation>, string[]]>([
  ['a terminal', { terminals: { ...terminals, w1: terminal({ terminalId: 'w1', output: 'x' }) } }, ['w1']],
  ['a new terminal', { terminals: { ...terminals, w2: terminal({ terminalId: 'w2' }) } }, ['w2']],
  [
    'a terminal that no call shows',
    { terminals: { ...terminals, s2: terminal({ terminalId: 's2', output: 'x' }) } },
    [],
  ],
  ['only the list of the terminals', { terminals: { ...terminals } }, []],
  [
    'a terminal and a subagent with the name undefined',
    {
      terminals: { ...terminals, undefined: terminal({}) },
      subagents: [...(subagents ?? []), subagent({ sessionId: 'undefined' })],
    },
    [],
  ],
  ['an entry', { entries: holder.entries.with(1, message('user')) }, ['user']],
  ['the entries before', { entries: holder.entries.slice(3) }, ['w2', 's1', 's2']],
  [
    'a subagent',
    { subagents: [subagent({ sessionId: 's1', title: 'x' }), subagent({ sessionId: 'w2' })] },
    ['s1'],
  ],
  ['a new subagent', { subagents: [...(subagents ?? []), subagent({ sessionId: 's2' })] }, ['s2']],
  [
    'a subagent that no call names',
    { subagents: [subagent({ sessionId: 's1' }), subagent({ sessionId: 'w2', title: 'x' })] },
    [],
  ],
  ['only the objects of the subagents', { subagents: subagents?.map((each) => ({ ...each })) ?? [] }, []],
])('changedEntries has the tool calls that refer to what changed: %s', (_, fields, keys) => {
  expect(changedEntries(holder, { ...holder, ...fields }).map(({ key }) => key)).toEqual(keys);
});

test('changedEntries has the tool calls whose subagent is the first one, and none if there are no more', () => {
  expect(changedEntries({ ...others, terminals }, holder).map(({ key }) => key)).toEqual(['s1']);
  expect(changedEntries(holder, { ...others, terminals })).toEqual([]);
});

const models = {
  currentModelId: 'small',
  availableModels: [
    { modelId: 'small', name: 'Small', description: 'Fast' },
    { modelId: 'large', name: 'Large' },
  ],
};

function fold(...configOptions: readonly ConfigOption[]) {
  return foldUpdates(emptyConversation('s1'), [
    { sessionUpdate: 'models_update', models },
    { sessionUpdate: 'config_option_update', configOptions },
  ]);
}

test('the models of a session are a setting', () => {
  expect(settingsOf(fold())).toEqual([
    {
      settingId: 'model',
      name: 'Model',
      description: null,
      category: 'model',
      value: 'small',
      choices: [
        { value: 'small', name: 'Small', description: 'Fast', group: null },
        { value: 'large', name: 'Large', description: null, group: null },
      ],
    },
  ]);
});

test('the mode and the config options of a session are settings', () => {
  const option = { configId: 'c', name: 'C' };
  const choice = { name: 'A', description: null, group: null };
  const settings = settingsOf({
    models: null,
    modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
    configOptions: [
      { ...option, type: 'boolean', currentValue: true },
      { ...option, type: 'boolean', currentValue: false, category: 'speed', description: 'Fast' },
      {
        ...option,
        type: 'select',
        currentValue: 'a',
        options: [
          { value: 'a', name: 'A' },
          { group: 'g', name: 'G', options: [{ value: 'b', name: 'B', description: 'Big' }] },
        ],
      },
      { ...option, type: '_other' },
    ] as ConfigOption[],
  });
  const base = { settingId: 'c', name: 'C', description: null, category: null };
  expect(settings).toEqual([
    {
      settingId: 'mode',
      name: 'Mode',
      description: null,
      category: 'mode',
      value: 'ask',
      choices: [{ ...choice, value: 'ask', name: 'Ask' }],
    },
    { ...base, value: true, choices: null },
    { ...base, value: false, category: 'speed', description: 'Fast', choices: null },
    {
      ...base,
      value: 'a',
      choices: [
        { ...choice, value: 'a' },
        { value: 'b', name: 'B', description: 'Big', group: 'G' },
      ],
    },
  ]);
});

test('a config option for the model replaces the models', () => {
  const option = { type: 'select', name: 'Model', currentValue: 'small', options: [] } as const;
  expect(settingsOf(fold({ ...option, configId: 'model' }))).toHaveLength(1);
  expect(settingsOf(fold({ ...option, configId: 'm', category: 'model' }))).toMatchObject([
    { settingId: 'm' },
  ]);
});

test('a conversation without models has no key for them', () => {
  expect(emptyConversation('s1')).not.toHaveProperty('models');
});
