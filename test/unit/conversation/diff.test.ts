import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { diffConversation } from '../../../src/core/conversation/diff.ts';
import { addedText, grownText, isRecorded, recordGrowth } from '../../../src/core/conversation/growth.ts';
import { unchangedStart } from '../../../src/core/conversation/list-versions.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import {
  applyPatch,
  type ConversationPatch,
  type PatchOperation,
} from '../../../src/core/conversation/patch.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
} from '../../../src/core/model/conversation.ts';
import { text } from '../../support/agents.ts';
import {
  createConversationStore,
  emptyConversation,
  foldUpdate,
  foldUpdates,
} from '../../support/fold-any.ts';
import { says } from '../../support/updates.ts';

const empty = emptyConversation('s1');
const chunk = (text: string, messageId = 'm1') => says(text, messageId);
const output = (text: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId: 't1',
  data: btoa(text),
});
const fromJson = (conversation: Conversation): Conversation => JSON.parse(JSON.stringify(conversation));

describe('text', () => {
  const path = ['entries', 0, 'content', 0, 'text'];

  test('that was appended in several steps is one operation', () => {
    const before = foldUpdate(empty, chunk('a'));
    const after = ['b', 'c', 'd'].reduce((next, text) => foldUpdate(next, chunk(text)), before);
    expect(diffConversation(before, after)).toEqual([{ op: 'append', path, text: 'bcd' }]);
    expect(diffConversation(fromJson(before), after)).toEqual([{ op: 'append', path, text: 'bcd' }]);
  });

  test('that a patch has extended is known to continue the one before, without a comparison', () => {
    const blockOf = ({ entries: [entry] }: Conversation) =>
      (entry?.kind === 'message' && entry.content[0]) || {};
    const host = ['a', 'ab', 'abcd', 'abcde'].map((text) => foldUpdate(empty, chunk(text)));
    const page: Conversation[] = [];
    for (const [index, next] of host.entries()) {
      page.push(applyPatch(page.at(-1), diffConversation(host[index - 1], next)));
    }
    const [before, , , after] = page.map(blockOf);
    expect(addedText(before ?? {}, after ?? {}, '?', 'abcde')).toBe('bcde');
  });

  test('that was appended in more steps than are recorded is one operation', () => {
    const before = foldUpdate(empty, chunk('a'));
    const steps = Array.from({ length: 300 }, (_, step) => `${step},`);
    const after = steps.reduce((next, text) => foldUpdate(next, chunk(text)), before);
    expect(diffConversation(before, after)).toEqual([{ op: 'append', path, text: steps.join('') }]);
  });

  test('that continues one state in two ways has two patches', () => {
    const before = foldUpdate(foldUpdate(empty, chunk('a')), chunk('b'));
    const left = foldUpdate(before, chunk('left'));
    const right = foldUpdate(before, chunk('right'));
    expect(diffConversation(before, left)).toEqual([{ op: 'append', path, text: 'left' }]);
    expect(diffConversation(before, right)).toEqual([{ op: 'append', path, text: 'right' }]);
    expect(diffConversation(left, right)).toEqual([{ op: 'set', path, value: 'abright' }]);
  });

  test('of a tool call that the agent sends as a whole is appended', () => {
    const content = (text: string) => [
      { type: 'content' as const, content: { type: 'text' as const, text } },
    ];
    const call: AnyUpdate = {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Run',
      content: content('a'),
    };
    const before = foldUpdate(empty, call);
    const after = foldUpdate(before, {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'completed',
      content: content('ab'),
    });
    expect(diffConversation(before, after)).toEqual([
      { op: 'set', path: ['entries', 0, 'status'], value: 'completed' },
      { op: 'append', path: ['entries', 0, 'content', 0, 'content', 'text'], text: 'b' },
    ]);
  });
});

describe('entries', () => {
  test('that were removed, changed and added are found by their keys', () => {
    const before = foldUpdates(
      empty,
      ['m1', 'm2', 'm3', 'm4'].map((id) => chunk(id, id)),
    );
    const after = foldUpdates(empty, [
      chunk('m1', 'm1'),
      chunk('new', 'm3'),
      chunk('m5', 'm5'),
      chunk('m4', 'm4'),
    ]);
    const patch = diffConversation(before, after);
    expect(patch.map(({ op }) => op)).toEqual(['splice', 'set', 'splice']);
    const copy = applyPatch(before, patch);
    expect(copy).toEqual(after);
    expect(copy.entries[0]).toBe(before.entries[0]);
    expect(copy.entries[3]).toBe(before.entries[3]);
  });
});

describe('the output of a terminal', () => {
  test('is sent as text, only what was added', () => {
    const before = foldUpdate(empty, output('\u001b[1mA'));
    const after = foldUpdates(foldUpdate(before, output('B\n')), [output('C\n'), output('D\n')]);
    const patch = [{ op: 'output', terminalId: 't1', remove: 0, text: 'B\nC\nD\n' }];
    expect(diffConversation(before, after)).toEqual(patch);
    expect(diffConversation(fromJson(before), after)).toEqual(patch);
  });

  test.each([
    ['in small chunks', 1000],
    ['in a chunk that is longer than the limit', 4 * maxTerminalBytes],
  ])('that was cut is sent without what stayed, %s', (_, length) => {
    const store = createConversationStore(empty);
    let copy = empty;
    let patchBytes = 0;
    for (let written = 0; written < 4 * maxTerminalBytes; written += length) {
      store.apply(output(String(written).padEnd(length, '.')));
      if (written % 64_000 !== 0) continue;
      const patch = diffConversation(copy, store.getSnapshot());
      patchBytes += JSON.stringify(patch).length;
      copy = applyPatch(copy, patch);
    }
    copy = applyPatch(copy, diffConversation(copy, store.getSnapshot()));
    expect(copy).toEqual(store.getSnapshot());
    expect(copy.terminals['t1']?.droppedBytes).toBeGreaterThan(0);
    expect(patchBytes).toBeLessThan(4 * maxTerminalBytes + 20_000);
  });

  test('that was replaced is sent as a whole', () => {
    const before = foldUpdate(empty, output('old'));
    const after = foldUpdate(before, {
      sessionUpdate: 'terminal_update',
      terminalId: 't1',
      output: { data: btoa('new') },
    });
    expect(diffConversation(before, after)).toEqual([
      { op: 'output', terminalId: 't1', remove: 3, text: 'new' },
    ]);
  });
});

test('a subagent that changed is sent without the others, and only with what changed', () => {
  const subagent = (sessionId: string, title: string): AnyUpdate => ({
    sessionUpdate: 'subagent_update',
    sessionId,
    title,
  });
  const before = foldUpdates(empty, [subagent('a', 'A'), subagent('b', 'B')]);
  const after = foldUpdates(before, [subagent('b', 'C'), subagent('c', 'D')]);
  const patch = diffConversation(before, after);
  expect(patch).toEqual([
    { op: 'set', path: ['subagents', 1, 'title'], value: 'C' },
    { op: 'splice', path: ['subagents'], at: 2, remove: 0, insert: [after.subagents?.[2]] },
  ]);
  expect(applyPatch(before, patch)).toEqual(after);
  expect(applyPatch(after, diffConversation(after, before))).toEqual(before);
});

const conversation = foldUpdates(emptyConversation('s1'), [
  { sessionUpdate: 'user_message', messageId: 'm1', content: [{ type: 'text', text: 'Hello.' }] },
  { sessionUpdate: 'agent_message', messageId: 'm2', content: [{ type: 'text', text: 'Hi.' }] },
  { sessionUpdate: 'terminal_output_chunk', terminalId: 't1', data: 'b2s=' },
]);

test.each<[string, PatchOperation]>([
  ['"entries/2"', { op: 'set', path: ['entries', 2], value: {} }],
  ['"entries/2"', { op: 'append', path: ['entries', 2, 'content', 0, 'text'], text: '' }],
  ['"entries/0/meta"', { op: 'append', path: ['entries', 0, 'meta'], text: 'x' }],
  ['"entries/1"', { op: 'splice', path: ['entries'], at: 1, remove: 2, insert: [] }],
  ['"activity"', { op: 'splice', path: ['activity'], at: 0, remove: 0, insert: [] }],
  ['"models"', { op: 'unset', path: ['models'] }],
  ['"meta"', { op: 'set', path: ['meta', 'a'], value: 1 }],
  ['the conversation', { op: 'set', path: [], value: null }],
  ['the conversation', { op: 'unset', path: [] }],
  ['"terminals/t3/output"', { op: 'output', terminalId: 't3', remove: 0, text: '' }],
  ['"terminals/t2"', { op: 'output', terminalId: 't2', remove: 0, text: '' }],
  ['"terminals/t1/output"', { op: 'output', terminalId: 't1', remove: 3, text: '' }],
])('a patch that does not fit is an error that names %s', (place, operation) => {
  const t3 = {} as ConversationTerminal;
  const broken = { ...conversation, terminals: { ...conversation.terminals, t3 } };
  const apply = () => applyPatch(broken, [operation]);
  expect(apply).toThrow(InvalidParamsError);
  expect(apply).toThrow(`it changes ${place}, which`);
});

test('a patch of changes needs a conversation', () => {
  expect(() => applyPatch(undefined, [{ op: 'unset', path: ['models'] }])).toThrow(InvalidParamsError);
  expect(() => applyPatch(undefined, [])).toThrow('it changes the conversation, which');
});

test('an operation of a later version is an error that names it', () => {
  const patch = [{ op: 'toString', path: [] }] as unknown as ConversationPatch;
  expect(() => applyPatch(conversation, patch)).toThrow('an operation "toString" that this version');
});

/** A conversation with one of each kind of entry, and the entries as a patch has them. */
const kinds: readonly (readonly [Partial<ConversationEntry>, object])[] = [
  [
    { kind: 'message', role: 'user', content: [text('Hello.')] },
    { messageId: null, meta: null },
  ],
  [
    { kind: 'sessionMessage', messageId: 'm', content: [] },
    {
      ...{ senderSessionId: null, recipientSessionId: null, meta: null },
      ...{ senderMessageId: null, recipientMessageId: null },
    },
  ],
  [
    { kind: 'toolCall', toolCallId: 't', rawInput: { kind: 'message' } },
    {
      ...{ title: null, toolKind: 'other', name: null, status: 'pending', content: [], locations: [] },
      ...{ capabilities: null, permission: null, meta: null },
    },
  ],
  [
    { kind: 'compaction', compactionId: 'c', status: 'completed' },
    { summary: [], error: null, meta: null },
  ],
  [{ kind: 'turnFailure', cause: 'failed', reason: 'No.' }, { code: null }],
  [{ kind: 'unknown', tag: '_x', raw: {} }, {}],
  [{ kind: 'later' as never }, {}],
  [{ kind: ['message'] as never }, {}],
];
const short = kinds.map(([fields], at) => ({ ...fields, key: `${at}` }));
const whole = {
  ...conversation,
  entries: short.map((entry, at) => ({
    ...entry,
    ...kinds[at]?.[1],
    ...(at < 6 && { origin: 'live' }),
  })) as ConversationEntry[],
};

test('an entry in a patch does not contain the fields that have their default value', () => {
  const { terminals: _, ...rest } = whole;
  const patch = diffConversation(undefined, whole);
  expect(patch).toEqual([
    { op: 'set', path: [], value: { ...rest, entries: [], terminals: {} } },
    { op: 'splice', path: ['entries'], at: 0, remove: 0, insert: short },
    { op: 'set', path: ['terminals', 't1'], value: whole.terminals['t1'] },
  ]);
  expect(applyPatch(undefined, patch)).toEqual(whole);
});

/** The conversation with other blocks in its message, or with another field. */
const withEntry = (at: number, entry: object) =>
  ({ ...whole, entries: whole.entries.with(at, entry as ConversationEntry) }) as Conversation;
const withBlocks = (...content: object[]) => withEntry(0, { ...whole.entries[0], content });
const withCall = (fields: object) => withEntry(2, { ...whole.entries[2], ...fields });
const withField = (fields: object) => ({ ...whole, ...fields }) as Conversation;
const printed = (shown: string, droppedBytes: number) =>
  withField({ terminals: { t1: { ...whole.terminals['t1'], output: shown, droppedBytes } } });
const [a, b, image] = [text('a'), { ...text('b'), _meta: {} }, { type: 'image', data: '', mimeType: 'x' }];
const block = { type: '_x', kind: 'message' };
const path = ['entries', 0, 'content'];
const at = (place: number, remove: number, ...insert: object[]) => [
  { op: 'splice', path, at: place, remove, insert },
];
const inTool = (content: object) => ({ type: 'content', content });
const shown = { type: 'terminal', terminalId: 't1' };
const toolPath = ['entries', 2, 'content', 0];
const plan = { planId: 'p', type: '_x', kind: 'message' };
const cursor = { cursorId: 'c', anchor: block, capabilities: null, meta: null };
const subagentOf = (meta: object) => ({ sessionId: 'a', meta });
const dropped = { op: 'set', path: ['terminals', 't1', 'droppedBytes'] };

test.each<[string, Conversation, Conversation, object[]]>([
  ['a block before others', withBlocks(a, b), withBlocks(block, a, b), at(0, 0, block)],
  ['a block less before others', withBlocks(a, b, image), withBlocks(b, image), at(0, 1)],
  ['a block less between others', withBlocks(a, b, image), withBlocks(a, image), at(1, 1)],
  ['a block again', withBlocks(a), withBlocks(a, a), at(1, 0, a)],
  ['a block only once', withBlocks(a, a), withBlocks(a), at(1, 1)],
  [
    'a picture for a text',
    withBlocks(a),
    withBlocks(image),
    [{ op: 'set', path: [...path, 0], value: image }],
  ],
  ['a text for a picture', withBlocks(image), withBlocks(a), [{ op: 'set', path: [...path, 0], value: a }]],
  [
    'a text for none',
    withBlocks(text('')),
    withBlocks(a),
    [{ op: 'set', path: [...path, 0, 'text'], value: 'a' }],
  ],
  [
    'a terminal for an output',
    withCall({ content: [inTool(a)] }),
    withCall({ content: [shown] }),
    [{ op: 'set', path: toolPath, value: shown }],
  ],
  [
    'an output for a terminal',
    withCall({ content: [shown] }),
    withCall({ content: [inTool(a)] }),
    [{ op: 'set', path: toolPath, value: inTool(a) }],
  ],
  [
    'a longer output',
    withCall({ content: [inTool(a)] }),
    withCall({ content: [inTool(text('ab'))] }),
    [{ op: 'append', path: [...toolPath, 'content', 'text'], text: 'b' }],
  ],
  [
    'another input',
    whole,
    withCall({ rawInput: { kind: 'toolCall' } }),
    [{ op: 'set', path: ['entries', 2, 'rawInput'], value: { kind: 'toolCall' } }],
  ],
  [
    'an entry of another kind',
    whole,
    withEntry(2, { ...whole.entries[0], key: '2' }),
    [{ op: 'set', path: ['entries', 2], value: { ...short[0], key: '2' } }],
  ],
  [
    'a plan',
    whole,
    withField({ plans: [plan] }),
    [{ op: 'splice', path: ['plans'], at: 0, remove: 0, insert: [plan] }],
  ],
  [
    'another plan',
    withField({ plans: [plan] }),
    withField({ plans: [{ ...plan, a: 1 }] }),
    [{ op: 'set', path: ['plans', 0], value: { ...plan, a: 1 } }],
  ],
  [
    'a cursor',
    withField({ cursors: [cursor] }),
    withField({
      cursors: [
        { ...cursor, meta: { a: 1 } },
        { ...cursor, cursorId: 'd' },
      ],
    }),
    [
      { op: 'set', path: ['cursors', 0, 'meta'], value: { a: 1 } },
      { op: 'splice', path: ['cursors'], at: 1, remove: 0, insert: [{ ...cursor, cursorId: 'd' }] },
    ],
  ],
  [
    'metadata of a subagent',
    withField({ subagents: [subagentOf({ a: 1 })] }),
    withField({ subagents: [subagentOf({ a: 1, b: 2 })] }),
    [{ op: 'set', path: ['subagents', 0, 'meta', 'b'], value: 2 }],
  ],
  [
    'an output without its start',
    printed('abc', 0),
    printed('bcd', 1),
    [
      { op: 'output', terminalId: 't1', remove: 1, text: 'd' },
      { ...dropped, value: 1 },
    ],
  ],
  [
    'another output',
    printed('abc', 0),
    printed('xyz', 1),
    [
      { op: 'output', terminalId: 't1', remove: 3, text: 'xyz' },
      { ...dropped, value: 1 },
    ],
  ],
  [
    'an output with its start',
    printed('c', 2),
    printed('cab', 0),
    [
      { op: 'output', terminalId: 't1', remove: 1, text: 'cab' },
      { ...dropped, value: 0 },
    ],
  ],
])('a patch has %s and no more', (_, before, after, patch) => {
  expect(diffConversation(before, after)).toEqual(patch);
  expect(applyPatch(before, patch as ConversationPatch)).toEqual(after);
});

test('a patch has any number of entries', () => {
  const ids = Array.from({ length: 2100 }, (_, index) => `m${index}`);
  const after = foldUpdates(
    conversation,
    ids.map((id) => chunk(id, id)),
  );
  expect(applyPatch(conversation, diffConversation(conversation, after))).toEqual(after);
});

const info = (_meta: object | null) => ({ sessionUpdate: 'session_info_update', _meta }) as AnyUpdate;
const call = (_meta: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', _meta }) as AnyUpdate;

const after = (conversation: Conversation, ...updates: readonly AnyUpdate[]): Conversation =>
  updates.reduce((next, update) => foldUpdate(next, update), conversation);

test('a patch has the keys of metadata that changed, and no others', () => {
  const before = after(emptyConversation('s'), info({ a: 1, b: { c: [1] }, d: 4 }), call({ x: 1, y: 2 }));
  const next = after(before, info({ a: 2, d: null, e: 5 }), call({ z: 3 }));
  const patch = diffConversation(before, next);
  expect(patch.map((step) => ('path' in step ? [step.op, ...step.path] : step.op))).toEqual(
    expect.arrayContaining([
      ['unset', 'meta', 'd'],
      ['set', 'meta', 'a'],
      ['set', 'meta', 'e'],
      ['set', 'entries', 0, 'meta', 'z'],
    ]),
  );
  expect(patch).toHaveLength(4);
  expect(applyPatch(before, patch)).toEqual(next);
});

test('[security: linear-time] the patches for twice as many metadata keys have twice as many bytes', () => {
  const published = (keys: number) => {
    let shown = emptyConversation('s');
    let bytes = 0;
    for (let index = 0; index < keys; index++) {
      const next = after(shown, info({ [`key${index}`]: 'v' }), call({ [`key${index}`]: 'v' }));
      bytes += JSON.stringify(diffConversation(shown, next)).length;
      shown = next;
    }
    return bytes;
  };
  expect(published(400)).toBeLessThan(2.2 * published(200));
});

/** The entries of a store with three messages, and the same store. */
function threeMessages() {
  const store = createConversationStore(emptyConversation('s1'));
  for (const messageId of ['m1', 'm2', 'm3']) store.apply(chunk('word ', messageId));
  return { store, before: store.getSnapshot().entries };
}

test.each([
  ['the first entry that changed', ['m3', 'm2'], 1],
  ['an entry that was added', ['m4', 'm5'], 3],
  ['an entry that changed before one that was added', ['m4', 'm1'], 0],
])('a version shares what is before %s with the version before', (_, messageIds, shared) => {
  const { store, before } = threeMessages();
  for (const messageId of messageIds) store.apply(chunk('word ', messageId));
  const { entries } = store.getSnapshot();
  expect(unchangedStart(before, entries)).toBe(shared);
  expect(entries.slice(0, shared)).toEqual(before.slice(0, shared));
});

test('nothing is known of versions with another one between them, in the other order, and of two stores', () => {
  const { store, before } = threeMessages();
  store.apply(chunk('word ', 'm4'));
  const between = store.getSnapshot().entries;
  store.apply(chunk('word ', 'm4'));
  const after = store.getSnapshot().entries;
  expect(unchangedStart(between, after)).toBe(3);
  expect(unchangedStart(before, after)).toBe(0);
  expect(unchangedStart(after, between)).toBe(0);
  expect(unchangedStart(threeMessages().before, between)).toBe(0);
});

test('a message with one more block shares its blocks with the message before, and both are frozen', () => {
  const store = createConversationStore(emptyConversation('s1'));
  const content = () => {
    const [entry] = store.getSnapshot().entries;
    return entry?.kind === 'message' ? entry.content : [];
  };
  const image = { type: 'image', data: 'AA', mimeType: 'image/png' } as const;
  store.apply({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: image });
  store.apply(chunk('word ', 'm1'));
  const before = content();
  store.apply(chunk('word ', 'm1'));
  const longer = content();
  store.apply({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { ...image } });
  const after = content();
  // The last text became longer.
  expect(unchangedStart(before, longer)).toBe(1);
  expect(unchangedStart(longer, after)).toBe(2);
  expect(unchangedStart(before, after)).toBe(0);
  for (const value of [before, longer, after, ...longer, ...after]) expect(Object.isFrozen(value)).toBe(true);
});

function blockOf({ entries }: Conversation, index = 0): object {
  const entry = entries[index];
  const block = entry?.kind === 'message' ? entry.content[0] : undefined;
  if (!block) throw new Error('There is no block.');
  return block;
}

/** The versions of a text that grows by these pieces. */
function versionsOf(length: number, pieces: readonly string[]) {
  const versions: object[] = [{}];
  let start = length;
  for (const piece of pieces) {
    const next = {};
    recordGrowth(versions.at(-1) ?? {}, next, start, piece);
    versions.push(next);
    start += piece.length;
  }
  return versions;
}

test.each<[string, number, number[], number]>([
  ['256 pieces', 0, Array.from({ length: 256 }, () => 1), 0],
  ['more pieces', 0, Array.from({ length: 258 }, () => 1), 2],
  ['16 KiB', 0, [16_384], 0],
  ['more', 0, [16_385], 1],
  ['more in several pieces', 0, [10_000, 10_000, 5_000], 1],
  ['an eighth of a long text', 160_000, [20_000], 0],
  ['more than that', 160_000, [24_000], 1],
])('the latest pieces of a text are kept: %s', (_, length, lengths, dropped) => {
  const latest =
    versionsOf(
      length,
      lengths.map((each) => 'x'.repeat(each)),
    ).at(-1) ?? {};
  const starts = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, each) => sum + each, length));
  const kept = starts.filter((start) => grownText(latest, start, Number.MAX_VALUE) !== undefined);
  expect(kept).toEqual(starts.slice(dropped));
});

test('what a text has beyond an earlier version is known, of each two versions', () => {
  const texts = ['a', 'ab', 'abc', 'abcd'];
  const versions = versionsOf(1, ['b', 'c', 'd']);
  for (const [from, before] of texts.entries())
    for (const [to, after] of texts.entries())
      expect(addedText(versions[from] ?? {}, versions[to] ?? {}, before, after)).toBe(
        from > to ? undefined : after.slice(before.length),
      );
  expect(grownText(versions[3] ?? {}, 1, 3)).toBe('bc');
  expect(addedText({}, {}, 'a', 'a')).toBe('');
  expect([versions[0], versions[3], {}].map((version) => isRecorded(version ?? {}))).toEqual([
    true,
    true,
    false,
  ]);
});

test('the pieces of a text are kept if a snapshot has its beginning', () => {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(chunk('One, '));
  store.getSnapshot();
  store.apply(chunk('two, '));
  store.apply(chunk('three.'));
  expect(grownText(blockOf(store.getSnapshot()), 5, 16)).toBe('two, three.');
});

test.each([
  ['one after the other', ['m1', 'm1', 'm1', 'm2', 'm2', 'm2']],
  ['in turns', ['m1', 'm2', 'm1', 'm2', 'm1', 'm2']],
])('no piece is kept of two texts that are in no snapshot and grow %s', (_, messageIds) => {
  const store = createConversationStore(emptyConversation('s1'));
  for (const messageId of messageIds) store.apply(chunk('word, ', messageId));
  const conversation = store.getSnapshot();
  for (const index of [0, 1]) {
    for (const start of [6, 12]) expect(grownText(blockOf(conversation, index), start, 18)).toBeUndefined();
  }
});
