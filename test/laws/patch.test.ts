import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffConversation } from '../../src/core/conversation/diff.ts';
import { equal } from '../../src/core/conversation/equal.ts';
import { applyPatch } from '../../src/core/conversation/patch.ts';
import { changedEntries } from '../../src/core/conversation/select.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { createConversationMirror } from '../../src/records/mirror/mirror.ts';
import { publishConversation } from '../../src/records/mirror/publish.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { createConversationStore, emptyConversation, foldUpdate, foldUpdates } from '../support/fold-any.ts';
import { assertFrozen, conversationIssues } from './saved-conversations.ts';

const empty = emptyConversation('s');
const updateList = fc.array(anyUpdate, { maxLength: 30, size: 'max' });
const state = updateList.map((updates) => foldUpdates(empty, updates));

/** What another process receives. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const cloned = <T>(value: T): T => structuredClone(value);
const copyOf = (conversation: Conversation) =>
  applyPatch(undefined, sent(diffConversation(undefined, conversation)));

/** Two states, of which the second follows the first one. */
const successive = fc.tuple(updateList, updateList).map(([earlier, later]) => {
  const before = foldUpdates(empty, earlier);
  return [before, foldUpdates(before, later)] as const;
});
const anyTwo = fc.oneof(successive, fc.tuple(state, state));

/** The parts that keep their identity, by what identifies them. */
function partsOf(conversation: Conversation): Map<string, unknown> {
  const parts = new Map<string, unknown>(Object.entries(conversation));
  for (const entry of conversation.entries) {
    parts.set(`entry ${entry.key}`, entry);
    const blocks = 'content' in entry ? entry.content : 'summary' in entry ? entry.summary : [];
    parts.set(`blocks of ${entry.key}`, blocks);
    blocks.forEach((block, index) => {
      parts.set(`block ${index} of ${entry.key}`, block);
    });
  }
  for (const plan of conversation.plans) parts.set(`plan ${plan.planId}`, plan);
  for (const [id, terminal] of Object.entries(conversation.terminals)) parts.set(`terminal ${id}`, terminal);
  return parts;
}

describe('a patch', () => {
  test.each([
    ['JSON', sent],
    ['a structured clone', cloned],
  ])('that is sent as %s leads from any state to any other one', (_, send) => {
    fc.assert(
      fc.property(anyTwo, ([before, after]) => {
        const patch = send(diffConversation(before, after));
        const result = applyPatch(before, patch);
        expect(result).toEqual(after);
        expect(conversationIssues(result)).toEqual([]);
        assertFrozen(result);
        expect(applyPatch(undefined, send(diffConversation(undefined, after)))).toEqual(after);
      }),
    );
  });

  test('is empty for equal states', () => {
    fc.assert(
      fc.property(state, (conversation) => {
        expect(diffConversation(conversation, conversation)).toEqual([]);
        expect(diffConversation(sent(conversation), conversation)).toEqual([]);
        expect(applyPatch(conversation, [])).toBe(conversation);
      }),
    );
  });

  test('does not change the state that it is applied to', () => {
    fc.assert(
      fc.property(anyTwo, ([before, after]) => {
        const copy = copyOf(before);
        const patch = sent(diffConversation(before, after));
        applyPatch(copy, patch);
        expect(copy).toEqual(before);
      }),
    );
  });

  test('keeps the identity of what keeps it between the states', () => {
    fc.assert(
      fc.property(successive, ([before, after]) => {
        const copyBefore = copyOf(before);
        const copyAfter = applyPatch(copyBefore, sent(diffConversation(before, after)));
        const afterParts = partsOf(after);
        const copyParts = partsOf(copyAfter);
        const copyPartsBefore = partsOf(copyBefore);
        for (const [name, part] of partsOf(before)) {
          if (typeof part !== 'object' || afterParts.get(name) !== part) continue;
          expect(copyParts.get(name), name).toBe(copyPartsBefore.get(name));
        }
        const keys = (changed: readonly { readonly key: string }[]) => changed.map(({ key }) => key);
        const copied = keys(changedEntries(copyBefore, copyAfter));
        const known = new Map(before.entries.map((entry) => [entry.key, entry]));
        // A permission that is taken back and asked for again is the same in another object.
        const changed = changedEntries(before, after).filter(
          (entry) => copied.includes(entry.key) || !equal(entry, known.get(entry.key)),
        );
        expect(copied).toEqual(keys(changed));
      }),
    );
  });
});

test('a mirror equals the conversation after each message, however the messages are timed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyUpdate, fc.constantFrom('together', 'flush', 'read', 'resend')), {
        maxLength: 40,
      }),
      async (steps) => {
        const store = createConversationStore(empty);
        const problems: unknown[] = [];
        const mirror = createConversationMirror('s', { requestResend: (reason) => problems.push(reason) });
        let flush: (() => void) | undefined;
        const publisher = publishConversation(store, {
          send: (message) => mirror.receive(sent(message)),
          schedule: (scheduled) => {
            flush = scheduled;
          },
        });
        for (const [update, action] of steps) {
          store.apply(update);
          if (action === 'together') continue;
          if (action === 'read') store.getSnapshot();
          if (action === 'resend') publisher.resend();
          if (action !== 'flush') continue;
          await Promise.resolve();
          flush?.();
          expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
        }
        await Promise.resolve();
        flush?.();
        expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
        expect(problems).toEqual([]);
      },
    ),
  );
});

test('a state has one patch, whether its text is known to continue or is compared', () => {
  fc.assert(
    fc.property(updateList, fc.array(anyUpdate, { maxLength: 8 }), (earlier, later) => {
      const before = foldUpdates(empty, earlier);
      // One state for each update, and one for all of them.
      const stepwise = later.reduce((conversation, update) => foldUpdate(conversation, update), before);
      const apply = (after: Conversation) => applyPatch(before, sent(diffConversation(before, after)));
      expect(apply(stepwise)).toEqual(apply(foldUpdates(before, later)));
    }),
  );
});
