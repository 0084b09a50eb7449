import { describe, expect, test } from 'vitest';
import { diffConversation } from '../../../src/core/conversation/diff.ts';
import { addedText, grownText, isRecorded, recordGrowth } from '../../../src/core/conversation/growth.ts';
import { unchangedStart } from '../../../src/core/conversation/list-versions.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { applyPatch } from '../../../src/core/conversation/patch.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
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

test('a patch has any number of entries', () => {
  const ids = Array.from({ length: 2100 }, (_, index) => `m${index}`);
  const after = foldUpdates(
    empty,
    ids.map((id) => chunk(id, id)),
  );
  expect(applyPatch(empty, diffConversation(empty, after))).toEqual(after);
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
  const first = blockOf(store.getSnapshot());
  store.apply(chunk('two, '));
  store.apply(chunk('three.'));
  expect(grownText(blockOf(store.getSnapshot()), 5, 16)).toBe('two, three.');
  // A text that is drawn again has nothing beyond itself.
  expect(addedText(first, first, 'One, ', 'One, ')).toBe('');
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
