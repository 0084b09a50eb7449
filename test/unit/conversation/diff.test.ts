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
  type PatchPath,
} from '../../../src/core/conversation/patch.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation, ConversationTerminal } from '../../../src/core/model/conversation.ts';
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
  for (const patch of [[{ op: 'unset', path: ['models'] }], []] as const)
    expect(() => applyPatch(undefined, patch)).toThrow('it changes the conversation, which');
});

test('an operation of a later version is an error that names it', () => {
  const patch = [{ op: 'toString', path: [] }] as unknown as ConversationPatch;
  expect(() => applyPatch(conversation, patch)).toThrow('an operation "toString" that this version');
});

const own = { origin: 'live', meta: null };
const sides = {
  senderSessionId: null,
  recipientSessionId: null,
  senderMessageId: null,
  recipientMessageId: null,
};
const ofCall = { title: null, toolKind: 'other', name: null, status: 'pending', permission: null };

/** One of each kind of entry as a patch has it, and the fields that it lacks there. */
const kinds: readonly (readonly [object, object])[] = [
  [
    { kind: 'message', role: 'user', content: [text('Hello.')] },
    { ...own, messageId: null },
  ],
  [
    { kind: 'sessionMessage', messageId: 'm', content: [] },
    { ...own, ...sides },
  ],
  [
    { kind: 'toolCall', toolCallId: 't' },
    { ...own, ...ofCall, content: [], locations: [], capabilities: null },
  ],
  [
    { kind: 'compaction', compactionId: 'c', status: 'completed' },
    { ...own, summary: [], error: null },
  ],
  [
    { kind: 'turnFailure', cause: 'failed', reason: 'No.' },
    { code: null, origin: 'live' },
  ],
  [{ kind: 'unknown', tag: '_x', raw: {} }, { origin: 'live' }],
  [{ kind: 'later' }, {}],
  [{ kind: ['message'] }, {}],
];
const short = kinds.map(([fields], at) => ({ ...fields, key: `${at}` }));
/** A conversation with other fields. A later version and an agent can have other values than this one. */
const whole = (fields: object = {}) => ({ ...conversation, ...fields }) as Conversation;
const full = short.map((entry, at) => ({ ...entry, ...kinds[at]?.[1] }));

const set = (path: PatchPath, value: unknown) => ({ op: 'set', path, value });
const splice = (path: PatchPath, at: number, remove: number, ...insert: unknown[]) => ({
  ...{ op: 'splice', path, at, remove, insert },
});
const print = (remove: number, text: string) => ({ op: 'output', terminalId: 't1', remove, text });

test('an entry in a patch does not contain the fields that have their default value', () => {
  const { t1 } = conversation.terminals;
  const after = whole({ entries: full });
  const start = set([], { ...after, entries: [], terminals: {} });
  const patch = [start, splice(['entries'], 0, 0, ...short), set(['terminals', 't1'], t1)];
  expect(diffConversation(undefined, after)).toEqual(patch);
  expect(applyPatch(undefined, patch as ConversationPatch)).toEqual(after);
});

const inMessage = (...content: object[]) => whole({ entries: [{ ...full[0], content }] });
const inCall = (fields: object) => whole({ entries: [{ ...full[2], ...fields }] });
const outputIn = (content: object) => inCall({ content: [{ type: 'content', content }] });
const printed = (output: string, droppedBytes: number) =>
  whole({ terminals: { t1: { ...conversation.terminals['t1'], output, droppedBytes } } });
const dropped = (bytes: number) => set(['terminals', 't1', 'droppedBytes'], bytes);
const meta = (value: object) => whole({ meta: value });
const [a, ab, image] = [text('a'), text('ab'), { type: 'image', data: '', mimeType: 'x' }];
/** Only an entry has default values. */
const other = { planId: 'p', cursorId: 'c', sessionId: 's', type: '_x', kind: 'message', meta: { a: 1 } };
const next = { ...other, planId: 'q', cursorId: 'd', sessionId: 't' };
const later = { ...other, meta: { a: 1, b: 2 } };
const shown = { type: 'terminal', terminalId: 't1' };
const path = ['entries', 0, 'content'];
const block = [...path, 0];

test.each<[string, Conversation, Conversation, object[]]>([
  ['a block before others', inMessage(a, ab), inMessage(other, a, ab), [splice(path, 0, 0, other)]],
  ['a block less before others', inMessage(a, ab, image), inMessage(ab, image), [splice(path, 0, 1)]],
  ['a block less between others', inMessage(a, ab, image), inMessage(a, image), [splice(path, 1, 1)]],
  ['a block again', inMessage(a), inMessage(a, a), [splice(path, 1, 0, a)]],
  ['a block only once', inMessage(a, a), inMessage(a), [splice(path, 1, 1)]],
  ['a picture for a text', inMessage(a), inMessage(image), [set(block, image)]],
  ['a text for a picture', inMessage(image), inMessage(a), [set(block, a)]],
  ['a text for none', inMessage(text('')), inMessage(a), [set([...block, 'text'], 'a')]],
  ['a terminal for an output', outputIn(a), inCall({ content: [shown] }), [set(block, shown)]],
  [
    'an output for a terminal',
    inCall({ content: [shown] }),
    outputIn(a),
    [set(block, { type: 'content', content: a })],
  ],
  [
    'a longer output',
    outputIn(a),
    outputIn(ab),
    [{ op: 'append', path: [...block, 'content', 'text'], text: 'b' }],
  ],
  [
    'another input',
    inCall({ rawInput: other }),
    inCall({ rawInput: next }),
    [set(['entries', 0, 'rawInput'], next)],
  ],
  [
    'an entry of another kind',
    inMessage(a),
    inCall({ key: '0' }),
    [set(['entries', 0], { ...short[2], key: '0' })],
  ],
  ['a plan', whole(), whole({ plans: [other] }), [splice(['plans'], 0, 0, other)]],
  ['another plan', whole({ plans: [other] }), whole({ plans: [later] }), [set(['plans', 0], later)]],
  ...(['cursors', 'subagents'] as const).map((list): [string, Conversation, Conversation, object[]] => [
    ...([list, whole({ [list]: [other] }), whole({ [list]: [next, later] })] as const),
    [splice([list], 0, 0, next), set([list, 1, 'meta', 'b'], 2)],
  ]),
  [
    'keys of metadata',
    meta({ a: 1, b: { c: [1] }, d: 4 }),
    meta({ a: 2, b: { c: [1] }, e: 5 }),
    [{ op: 'unset', path: ['meta', 'd'] }, set(['meta', 'a'], 2), set(['meta', 'e'], 5)],
  ],
  ['an output without its start', printed('abc', 0), printed('bcd', 1), [print(1, 'd'), dropped(1)]],
  ['another output', printed('abc', 0), printed('xyz', 1), [print(3, 'xyz'), dropped(1)]],
  ['an output of the same length', printed('old', 0), printed('new', 0), [print(3, 'new')]],
  ['an output with its start', printed('c', 2), printed('cab', 0), [print(1, 'cab'), dropped(0)]],
] as [string, Conversation, Conversation, object[]][])(
  'a patch has %s and no more',
  (_, before, after, patch) => {
    expect(diffConversation(before, after)).toEqual(patch);
    expect(applyPatch(before, patch as ConversationPatch)).toEqual(after);
  },
);

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
