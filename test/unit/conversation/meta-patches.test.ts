import { expect, test } from 'vitest';
import { diffConversation } from '../../../src/conversation/diff.ts';
import { applyPatch } from '../../../src/conversation/patch.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import { emptyConversation, foldUpdate } from '../../support/fold-any.ts';

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

test('metadata that begins or is removed is set as a whole', () => {
  const none = emptyConversation('s');
  const some = after(none, info({ a: 1 }));
  for (const [before, next] of [
    [none, some],
    [some, after(some, info(null))],
  ] as const) {
    const patch = diffConversation(before, next);
    expect(patch).toEqual([{ op: 'set', path: ['meta'], value: next.meta }]);
    expect(applyPatch(before, patch)).toEqual(next);
  }
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
