import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyConversation, foldUpdate, foldUpdates } from '../../src/conversation/fold.ts';
import type { ContentBlock } from '../../src/model/content.ts';
import type { Conversation, Entry } from '../../src/model/conversation.ts';
import type { ConversationUpdate } from '../../src/model/update.ts';
import { anyUpdate, messageId, toolCallId } from '../support/arbitrary-updates.ts';
import { plainFold } from './plain-fold.ts';

type Fold = (updates: readonly ConversationUpdate[], from?: Conversation) => Conversation;

const empty = emptyConversation('s');
const fold: Fold = (updates, from = empty) => foldUpdates(from, updates);
const folds: readonly (readonly [name: string, fold: Fold])[] = [
  ['the fold', fold],
  ['the plain fold', (updates, from = empty) => plainFold(from, updates)],
];
const history = fc.array(anyUpdate, { maxLength: 40 });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

function assertFrozen(value: unknown, path = 'conversation'): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value), path).toBe(true);
  for (const [key, part] of Object.entries(value)) assertFrozen(part, `${path}.${key}`);
}

describe.each(folds)('laws of %s', (_, fold) => {
  test('through JSON and back, folding goes on as if nothing had happened', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const conversation = fold(before);
        const restored = JSON.parse(JSON.stringify(conversation));
        expect(restored).toEqual(conversation);
        expect(structuredClone(conversation)).toEqual(conversation);
        expect(fold(after, restored)).toEqual(fold(after, conversation));
      }),
    );
  });

  test('text cut in other places gives the same conversation', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(messageId, fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1 })),
        ),
        fc.infiniteStream(fc.nat()),
        (said, cuts) => {
          const asChunks = (id: string, pieces: readonly string[]) =>
            pieces.map(
              (text): ConversationUpdate => ({
                sessionUpdate: 'agent_message_chunk',
                messageId: id,
                content: { type: 'text', text },
              }),
            );
          const original = said.flatMap(([id, pieces]) => asChunks(id, pieces));
          const cut = said.flatMap(([id, pieces]) => {
            const whole = pieces.join('');
            // Between any two code units, in the middle of a surrogate pair as well.
            const at = whole.length === 0 ? 0 : cuts.next().value % (whole.length + 1);
            return asChunks(id, [whole.slice(0, at), whole.slice(at)]);
          });
          expect(fold(cut)).toEqual(fold(original));
        },
      ),
    );
  });

  test('an entry never moves, and keys are unique', () => {
    fc.assert(
      fc.property(history, (updates) => {
        let conversation = empty;
        for (const update of updates) {
          const next = fold([update], conversation);
          const keys = next.entries.map(({ key }) => key);
          expect(new Set(keys).size).toBe(keys.length);
          if (update.sessionUpdate !== 'prompt_settled') {
            expect(keys.slice(0, conversation.entries.length)).toEqual(
              conversation.entries.map(({ key }) => key),
            );
          }
          conversation = next;
        }
      }),
    );
  });

  test('updates about different things commute, but for the order of their first appearance', () => {
    fc.assert(
      fc.property(history, fc.string(), fc.string(), (earlier, one, other) => {
        // A message without an id is known by its place alone, so that what comes next to it matters.
        const before = earlier.filter((update) => !('messageId' in update) || update.messageId != null);
        fc.pre(
          before.every(
            (update) => !/^(user|agent)_.*chunk$/.test(update.sessionUpdate) || 'messageId' in update,
          ),
        );
        const a: ConversationUpdate = {
          sessionUpdate: 'agent_message',
          messageId: 'left',
          content: [{ type: 'text', text: one }],
        };
        const b: ConversationUpdate = {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'right',
          title: other,
        };
        const sorted = ({ entries, ...rest }: Conversation) => ({
          ...rest,
          entries: [...entries].sort((left, right) => (left.key < right.key ? -1 : 1)),
        });
        expect(sorted(fold([...before, a, b]))).toEqual(sorted(fold([...before, b, a])));
      }),
    );
  });

  test('a replay of whole messages equals the stream they were made of', () => {
    const blocks = fc.array(
      fc.string({ minLength: 1, maxLength: 8 }).map((text) => ({ type: 'text' as const, text })),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(fc.uniqueArray(messageId, { minLength: 1 }), fc.infiniteStream(blocks), (ids, contents) => {
        const live: ConversationUpdate[] = [];
        const replay: ConversationUpdate[] = [];
        for (const id of ids) {
          const content: ContentBlock[] = contents.next().value;
          for (const block of content)
            live.push({ sessionUpdate: 'agent_message_chunk', messageId: id, content: block });
          const joined = content.map((block) => (block as { text: string }).text).join('');
          replay.push({
            sessionUpdate: 'agent_message',
            messageId: id,
            content: [{ type: 'text', text: joined }],
          });
        }
        expect(fold(replay)).toEqual(fold(live));
      }),
    );
  });

  test('in any two parts it gives the same as in one', () => {
    fc.assert(
      fc.property(history, fc.nat(), (updates, cut) => {
        const at = updates.length === 0 ? 0 : cut % updates.length;
        expect(fold(updates.slice(at), fold(updates.slice(0, at)))).toEqual(fold(updates));
      }),
    );
  });

  test('an update twice in a row says nothing new, unless it appends', () => {
    fc.assert(
      fc.property(history, anyUpdate, (before, update) => {
        fc.pre(!/_chunk$|^_unknown$/.test(update.sessionUpdate));
        expect(fold([...before, update, update])).toEqual(fold([...before, update]));
      }),
    );
  });
});

describe('the fold', () => {
  test('gives what the plain fold gives, at every step', () => {
    const origin = fc.constantFrom('replay' as const, 'live' as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(anyUpdate, origin), { maxLength: 60 }), (steps) => {
        let [fast, plain] = [empty, empty];
        for (const [update, from] of steps) {
          fast = foldUpdate(fast, update, { origin: from });
          plain = plainFold(plain, [update], from);
          expect(fast).toEqual(plain);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('gives one by one what it gives all at once', () => {
    fc.assert(
      fc.property(history, (updates) => {
        const stepwise = updates.reduce((conversation, update) => foldUpdate(conversation, update), empty);
        expect(stepwise).toEqual(fold(updates));
      }),
    );
  });

  test('a conversation is frozen through, and a frozen one is folded on without being written to', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const conversation = deepFreeze(JSON.parse(JSON.stringify(fold(before))));
        const written = JSON.stringify(conversation);
        assertFrozen(fold(after, conversation));
        expect(JSON.stringify(conversation)).toBe(written);
      }),
    );
  });

  test('every state stays as it was, read in any order and however late', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), (updates, picks) => {
        const states = [empty];
        for (const update of updates) states.push(foldUpdate(states.at(-1) as Conversation, update));
        const expected = states.map((_, n) => fold(updates.slice(0, n)));
        for (let step = 0; step < states.length; step++) {
          const n = picks.next().value % states.length;
          expect(states[n]).toEqual(expected[n]);
        }
      }),
    );
  });

  test('an update twice in a row changes nothing the second time, unless it appends', () => {
    fc.assert(
      fc.property(history, anyUpdate, (before, update) => {
        fc.pre(!/_chunk$|^_unknown$/.test(update.sessionUpdate));
        const once = foldUpdate(fold(before), update);
        expect(foldUpdate(once, update)).toBe(once);
      }),
    );
  });

  test('what an update does not touch keeps its identity', () => {
    fc.assert(
      fc.property(history, toolCallId, (updates, id) => {
        const before = fold(updates);
        const after = foldUpdate(before, {
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          title: 'renamed',
        });
        const touched = (entry: Entry | undefined) => entry?.kind === 'toolCall' && entry.toolCallId === id;
        before.entries.forEach((entry, place) => {
          if (!touched(entry)) expect(after.entries[place]).toBe(entry);
        });
        for (const field of ['plans', 'terminals', 'usage', 'commands', 'configOptions', 'modes'] as const) {
          expect(after[field]).toBe(before[field]);
        }
      }),
    );
  });

  test('nothing that an agent could send makes it throw', () => {
    const nonsense = fc.oneof(
      fc.object(),
      fc.record({ sessionUpdate: fc.string() }),
      anyUpdate.chain((update) =>
        fc
          .constantFrom(...Object.keys(update))
          .chain((key) =>
            fc.oneof(fc.jsonValue(), fc.constant(undefined)).map((value) => ({ ...update, [key]: value })),
          ),
      ),
    );
    fc.assert(
      fc.property(history, nonsense, (before, update) => {
        // What the type forbids is the point here.
        JSON.stringify(foldUpdate(fold(before), update as never));
      }),
      { numRuns: 500 },
    );
  });
});
