import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { equal } from '../../../src/core/conversation/equal.ts';
import { createConversationStore, emptyConversation, foldUpdate } from '../../support/fold-any.ts';
import { says } from '../../support/updates.ts';

const microtask = () => new Promise<void>((resolve) => queueMicrotask(resolve));

test('a snapshot has data properties only, so that console.log shows its entries', () => {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(says('Hello.', 'm1'));
  store.apply({ sessionUpdate: 'terminal_update', terminalId: 't1', command: 'make' });
  for (const snapshot of [store.getSnapshot(), foldUpdate(store.getSnapshot(), says(' You.', 'm1'))]) {
    const descriptors = Object.entries(Object.getOwnPropertyDescriptors(snapshot));
    expect(descriptors.filter(([, { value, writable }]) => value === undefined || writable)).toEqual([]);
    expect(inspect(snapshot, { depth: 5 })).toContain('Hello.');
    expect(inspect(snapshot)).not.toContain('[Getter]');
  }
});

test('the snapshot is the same object until something changes', () => {
  const first = emptyConversation('s1');
  const store = createConversationStore(first);
  expect(store.getSnapshot()).toBe(first);
  store.apply({ sessionUpdate: 'plan_removed', planId: 'none' });
  expect(store.getSnapshot()).toBe(first);
  store.apply(says('a', 'm1'));
  const second = store.getSnapshot();
  expect(second).not.toBe(first);
  expect(store.getSnapshot()).toBe(second);
  store.apply(says('', 'm1'));
  expect(store.getSnapshot()).toBe(second);
});

test('a snapshot shares the entries and terminals that did not change', () => {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(says('a', 'm1'));
  store.apply(says('b', 'm2'));
  store.apply({ sessionUpdate: 'terminal_update', terminalId: 't1', command: 'make' });
  const before = store.getSnapshot();
  store.apply({ sessionUpdate: 'usage_update', used: 1, size: 2 });
  const after = store.getSnapshot();
  expect(after.entries).toBe(before.entries);
  expect(after.terminals).toBe(before.terminals);
  store.apply(says('c', 'm2'));
  expect(store.getSnapshot().entries[0]).toBe(before.entries[0]);
  expect(store.getSnapshot().entries[1]).not.toBe(before.entries[1]);
  expect(store.getSnapshot().terminals).toBe(before.terminals);
});

test('a listener is called once for all updates of a task, and not when nothing changed', async () => {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(says('a', 'm0'));
  let calls = 0;
  const unsubscribe = store.subscribe(() => calls++);
  store.apply(says('', 'm0'));
  await microtask();
  for (let count = 0; count < 10; count++) store.apply(says('a', 'm1'));
  store.subscribe(() => {});
  expect(calls).toBe(0);
  await microtask();
  expect(calls).toBe(1);
  store.apply(says('', 'm1'));
  await microtask();
  expect(calls).toBe(1);
  store.reset(emptyConversation('s1'));
  await microtask();
  expect(calls).toBe(2);
  unsubscribe();
  store.apply(says('b', 'm1'));
  await microtask();
  expect(calls).toBe(2);
});

test('a listener that throws is reported and does not keep the others from being called', async () => {
  const errors: unknown[] = [];
  const store = createConversationStore(emptyConversation('s1'), {
    onListenerError: (error) => errors.push(error),
  });
  const error = new Error('no');
  let calls = 0;
  store.subscribe(() => {
    throw error;
  });
  store.subscribe(() => calls++);
  store.apply(says('a', 'm1'));
  await microtask();
  expect(errors).toEqual([error]);
  expect(calls).toBe(1);
});

test.each([
  [{ a: undefined }, { b: undefined }, false],
  [{ a: undefined }, { a: undefined }, true],
  [JSON.parse('{"__proto__":{}}'), { a: {} }, false],
  [{ a: {} }, JSON.parse('{"__proto__":{}}'), false],
])('%o and %o are equal: %s', (one, other, areEqual) => {
  expect(equal(one, other)).toBe(areEqual);
});
