import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchedKeys } from '../../../src/core/conversation/meta.ts';
import { createSessionStore } from '../../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';

const update = fc
  .record({
    of: fc.constantFrom<(_meta: object | null) => object>(
      (_meta) => ({ sessionUpdate: 'session_info_update', _meta }),
      (_meta) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't1', _meta }),
      (_meta) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't2', status: 'in_progress', _meta }),
      (_meta) => ({ sessionUpdate: 'agent_message', messageId: 'm1', _meta }),
      (_meta) => ({ sessionUpdate: 'terminal_update', terminalId: 'x1', _meta }),
      (_meta) => ({ sessionUpdate: 'terminal_update', terminalId: 'x2', _meta }),
      (_meta) => ({ sessionUpdate: 'session_message', messageId: 's1', _meta }),
      (_meta) => ({ sessionUpdate: 'compaction_update', compactionId: 'c1', status: 'completed', _meta }),
    ),
    _meta: fc.option(
      fc.dictionary(
        fc.constantFrom('a', 'b', 'c', '__proto__'),
        fc.constantFrom<unknown>(null, 1, 2, { deep: [1] }, { deep: [2] }),
      ),
      { freq: 6 },
    ),
  })
  .map(({ of, _meta }) => of(_meta) as AnyUpdate);

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  Object.values(value).forEach(expectFrozen);
}

test('metadata in a snapshot stays as it is, whatever patches follow', () => {
  const step = fc.oneof({ weight: 5, arbitrary: update }, fc.constant('snapshot' as const));
  const property = fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isObserved) => {
    const store = createSessionStore(emptyConversation('s1'));
    const ignore = () => {};
    if (isObserved) {
      store.observe({
        entryAdded: ignore,
        entryReplaced: (before, after) => expect(after).not.toEqual(before),
        entryRemoved: ignore,
        blockAppended: ignore,
        fieldSet: ignore,
        terminalPut: ignore,
        outputAppended: ignore,
        reset: ignore,
      });
    }
    let expected = emptyConversation('s1');
    const shown: [snapshot: unknown, text: string][] = [];
    for (const each of steps) {
      if (each === 'snapshot') {
        const snapshot = store.getSnapshot();
        expect(snapshot).toEqual(expected);
        shown.push([snapshot, JSON.stringify(snapshot)]);
      } else {
        store.apply(structuredClone(each));
        expected = foldUpdate(expected, structuredClone(each));
      }
    }
    expect(store.getSnapshot()).toEqual(expected);
    expectFrozen(store.getSnapshot());
    for (const [snapshot, text] of shown) expect(JSON.stringify(snapshot)).toBe(text);
  });
  fc.assert(property, { numRuns: runs(300) });
});

test('a patch changes neither the conversation nor the update that it comes from', () => {
  const before = JSON.parse(
    JSON.stringify(
      foldUpdate(emptyConversation('s1'), { sessionUpdate: 'session_info_update', _meta: { a: 1 } }),
    ),
  );
  const text = JSON.stringify(before);
  const first = { sessionUpdate: 'session_info_update', _meta: { b: 1 } } as const;
  const second = { sessionUpdate: 'session_info_update', _meta: { c: 1 } } as const;
  expect(foldUpdates(before, [first, second]).meta).toEqual({ a: 1, b: 1, c: 1 });
  expect(JSON.stringify(before)).toBe(text);
  expect(first._meta).toEqual({ b: 1 });
});

const info = (_meta: object | null) => ({ sessionUpdate: 'session_info_update', _meta }) as AnyUpdate;

test('the keys that were patched are known from one version of metadata to the next', () => {
  const versions = (...patches: object[]) => {
    const store = createSessionStore(emptyConversation('s1'));
    return [{ a: 1, b: 1 }, ...patches].map((patch) => {
      for (const [key, value] of Object.entries(patch)) store.apply(info({ [key]: value }));
      return store.getSnapshot().meta ?? {};
    });
  };
  const [first = {}, second = {}, third = {}] = versions({ a: 2, c: 1 }, { b: null });
  const [other = {}, next = {}] = versions({ a: 2, c: 1 });
  expect(patchedKeys(first, second)).toEqual(new Set(['a', 'c']));
  expect(patchedKeys(second, third)).toEqual(new Set(['b']));
  expect(patchedKeys(other, next)).toEqual(new Set(['a', 'c']));
  for (const pair of [
    [first, third],
    [second, first],
    [{}, first],
    [{}, second],
    [first, next],
    [second, next],
  ] as const)
    expect(patchedKeys(pair[0], pair[1])).toBeUndefined();
});
