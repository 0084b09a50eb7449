import { describe, expect, test } from 'vitest';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import { createConversationMirror } from '../../../src/conversation/mirror.ts';
import { publishConversation } from '../../../src/conversation/publish.ts';
import { createConversationStore } from '../../../src/conversation/store.ts';
import { chunk, microtask, pair } from '../../support/mirror-pair.ts';

describe('a publisher', () => {
  test('sends the whole conversation at once, and then one message for all changes that arrive together', async () => {
    const { store, mirror, messages, deliver } = pair();
    expect(messages.map(({ sequence }) => sequence)).toEqual([0]);
    for (const text of ['a', 'b', 'c']) store.apply(chunk('m2', text));
    await microtask();
    expect(messages.map(({ sequence }) => sequence)).toEqual([0, 1]);
    deliver();
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
  });

  test('sends only the appended text of a message', async () => {
    const { store, messages } = pair();
    messages.length = 0;
    store.apply(chunk('m1', ' How are you?'));
    await microtask();
    const path = ['entries', 0, 'content', 0, 'text'];
    expect(messages).toEqual([{ sequence: 1, patch: [{ op: 'append', path, text: ' How are you?' }] }]);
  });

  test('sends nothing if nothing changed', async () => {
    const { store, messages } = pair();
    store.apply(chunk('m1', ''));
    store.reset(structuredClone(store.getSnapshot()));
    await microtask();
    expect(messages.length).toBe(1);
  });

  test('waits for its schedule, once for all changes', async () => {
    const flushes: (() => void)[] = [];
    const { store, mirror, messages, deliver } = pair((flush) => void flushes.push(flush));
    for (const text of ['a', 'b', 'c']) {
      store.apply(chunk('m2', text));
      await microtask();
    }
    expect(flushes.length).toBe(1);
    expect(messages.length).toBe(1);
    flushes[0]?.();
    deliver();
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
    store.apply(chunk('m2', 'd'));
    await microtask();
    expect(flushes.length).toBe(2);
  });

  test('sends nothing after it was stopped, not even what was scheduled', async () => {
    const flushes: (() => void)[] = [];
    const { store, messages, stop, resend } = pair((flush) => void flushes.push(flush));
    store.apply(chunk('m2', 'a'));
    await microtask();
    stop();
    flushes[0]?.();
    resend();
    store.apply(chunk('m2', 'b'));
    await microtask();
    expect(messages.length).toBe(1);
    expect(flushes.length).toBe(1);
  });

  test('leaves a gap where sending failed, so that the mirror notices it', async () => {
    const errors: unknown[] = [];
    const store = createConversationStore(emptyConversation('s1'), {
      onListenerError: (error) => errors.push(error),
    });
    const reasons: string[] = [];
    const mirror = createConversationMirror('s1', {
      requestResend: ({ message }) => reasons.push(message),
    });
    let isOpen = true;
    const publisher = publishConversation(store, {
      send(message) {
        if (!isOpen) throw new Error('closed');
        mirror.receive(message);
      },
    });
    for (const open of [false, true]) {
      isOpen = open;
      store.apply(chunk('m1', 'a'));
      await microtask();
    }
    expect(errors).toEqual([new Error('closed')]);
    expect(reasons.length).toBe(1);
    publisher.resend();
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
  });

  test.each([
    ['throws', () => raise(new Error('no frame'))],
    ['rejects', () => Promise.reject(new Error('no frame')) as never],
  ])('sends the next change if its schedule %s once', async (_, fail) => {
    const errors: unknown[] = [];
    const store = createConversationStore(emptyConversation('s1'), {
      onListenerError: (error) => errors.push(error),
    });
    const mirror = createConversationMirror('s1', { requestResend: raise });
    const schedules = [fail, (flush: () => void) => flush()];
    publishConversation(store, { send: mirror.receive, schedule: (flush) => schedules.shift()?.(flush) });
    for (const text of ['a', 'b']) {
      store.apply(chunk('m1', text));
      await turnOfEventLoop();
    }
    expect(errors).toEqual([new Error('no frame')]);
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
  });
});

const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

function raise(error: unknown): never {
  throw error;
}
