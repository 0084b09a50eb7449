import { describe, expect, test } from 'vitest';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import {
  createConversationStore,
  type WritableConversationStore,
} from '../../../src/core/conversation/store.ts';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import { type ConversationMirror, createConversationMirror } from '../../../src/records/mirror/mirror.ts';
import { type MirrorMessage, publishConversation } from '../../../src/records/mirror/publish.ts';

const chunk = (messageId: string, text: string): ConversationUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
const microtask = () => new Promise<void>((resolve) => queueMicrotask(resolve));

/** A publisher, and a mirror that receives what `deliver` delivers. */
interface Pair {
  readonly store: WritableConversationStore;
  readonly mirror: ConversationMirror;
  /** The messages that were sent and not yet delivered. */
  readonly messages: MirrorMessage[];
  readonly reasons: string[];
  readonly resend: () => void;
  readonly stop: () => void;
  deliver(): void;
}

function pair(schedule?: (flush: () => void) => void): Pair {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(chunk('m1', 'Hello.'));
  const messages: MirrorMessage[] = [];
  const reasons: string[] = [];
  const mirror = createConversationMirror('s1', { requestResend: ({ message }) => reasons.push(message) });
  const send = (message: MirrorMessage) => void messages.push(structuredClone(message));
  const { resend, stop } = publishConversation(store, { send, schedule });
  const deliver = () => {
    for (const message of messages.splice(0)) mirror.receive(message);
  };
  return { store, mirror, messages, reasons, resend, stop, deliver };
}

describe('a mirror', () => {
  test('is empty until the first message, and calls its listeners before receive returns', () => {
    const { store, mirror, deliver } = pair();
    expect(mirror.getSnapshot()).toEqual(emptyConversation('s1'));
    let calls = 0;
    const unsubscribe = mirror.subscribe(() => calls++);
    deliver();
    expect(calls).toBe(1);
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
    unsubscribe();
    mirror.receive({
      sequence: 1,
      patch: [{ op: 'set', path: ['usage'], value: { used: 1, size: 2, cost: null } }],
    });
    expect(calls).toBe(1);
  });

  test.each([
    ['was lost', [0, 2, 3], 2, 1],
    ['is out of order', [0, 2, 1, 3], 2, 1],
    ['comes twice', [0, 1, 1, 2], 1, 2],
    ['came before it was created', [1, 2, 3], 1, 0],
  ])(
    'asks for the conversation once if a message %s, and keeps its state until it has it',
    async (_, order, received, expected) => {
      const { store, mirror, messages, reasons, resend, deliver } = pair();
      for (const text of ['a', 'b', 'c']) {
        store.apply(chunk('m2', text));
        await microtask();
      }
      const sent = messages.splice(0);
      const states = order.map((index) => {
        mirror.receive(sent[index] as MirrorMessage);
        return mirror.getSnapshot();
      });
      expect(reasons).toEqual([
        `The mirror received message ${received} of the conversation and expected message ${expected}. ` +
          'A message was lost or out of order. Call `resend` of the publisher.',
      ]);
      const before = states[Math.max(0, expected - 1)];
      expect(mirror.getSnapshot()).toBe(before);
      resend();
      store.apply(chunk('m2', 'd'));
      await microtask();
      deliver();
      expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
      // What was equal is the same object.
      if (expected > 0) expect(mirror.getSnapshot().entries[0]).toBe(before?.entries[0]);
      expect(reasons).toHaveLength(1);
    },
  );

  test('asks for the conversation if a patch does not fit', () => {
    const { mirror, reasons, deliver } = pair();
    deliver();
    const before = mirror.getSnapshot();
    mirror.receive({
      sequence: 1,
      patch: [{ op: 'append', path: ['entries', 7, 'content', 0, 'text'], text: 'x' }],
    });
    expect(reasons[0]).toContain('The patch does not fit the conversation');
    expect(mirror.getSnapshot()).toBe(before);
  });

  test('reports a listener that throws', () => {
    const errors: unknown[] = [];
    const mirror = createConversationMirror('s1', {
      requestResend() {},
      onListenerError: (error) => errors.push(error),
    });
    const error = new Error('no');
    mirror.subscribe(() => {
      throw error;
    });
    publishConversation(createConversationStore(emptyConversation('s2')), { send: mirror.receive });
    expect(errors).toEqual([error]);
    expect(mirror.getSnapshot().sessionId).toBe('s2');
  });
});

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
