import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/core/conversation/select.ts';
import { settingsOf } from '../../src/core/conversation/settings.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ContentBlock, TextContent } from '../../src/core/model/content.ts';
import type { Conversation, ConversationEntry } from '../../src/core/model/conversation.ts';
import { renderText } from '../../src/core/render/text.ts';
import { anyUpdate, messageId, toolCallId } from '../support/arbitrary-updates.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../support/fold-any.ts';
import { runs } from '../support/runs.ts';
import { plainFold } from './plain-fold.ts';
import { assertFrozen, conversationIssues } from './saved-conversations.ts';

/** Whether an update changes the conversation each time that it is folded: it appends, asks, or removes a question. */
const appends = (update: AnyUpdate) =>
  /_chunk$|^(_unknown|turn_failed|history_added|terminal_printed)$/.test(update.sessionUpdate) ||
  'asks' in update ||
  update.sessionUpdate === 'permission_update';

/** Whether an update can add a message without an id. */
function hasUnnamedMessage(update: AnyUpdate): boolean {
  if (update.sessionUpdate === 'history_added') {
    return update.entries.some((entry) => entry.kind === 'message' && entry.messageId === null);
  }
  return /^(user|agent)_.*_chunk$/.test(update.sessionUpdate) && !('messageId' in update && update.messageId);
}

const empty = emptyConversation('s');
const fold = (updates: readonly AnyUpdate[], from: Conversation = empty) => foldUpdates(from, updates);
const updateList = fc.array(anyUpdate, { maxLength: 40 });

/** Blocks of text, some of them with annotations, metadata, or fields that are `null`. */
const blocks: fc.Arbitrary<TextContent[]> = fc.array(
  fc.record(
    {
      type: fc.constant('text' as const),
      text: fc.string({ maxLength: 8 }),
      annotations: fc.constantFrom(null, null, { priority: 1 }),
      _meta: fc.constantFrom(null, null, { a: 1 }),
    },
    { requiredKeys: ['type', 'text'] },
  ),
  { minLength: 1, maxLength: 6 },
);

/** The updates that replace what a message says, and those that append to it. */
const wholes: readonly (readonly [
  name: string,
  whole: (id: string, content: readonly ContentBlock[]) => AnyUpdate,
  chunk: (id: string, content: ContentBlock) => AnyUpdate,
])[] = [
  [
    'message',
    (messageId, content) => ({ sessionUpdate: 'agent_message', messageId, content }),
    (messageId, content) => ({ sessionUpdate: 'agent_message_chunk', messageId, content }),
  ],
  [
    'message between sessions',
    (messageId, content) => ({ sessionUpdate: 'session_message', messageId, content }),
    (messageId, content) => ({ sessionUpdate: 'session_message_chunk', messageId, content }),
  ],
  [
    'summary',
    (compactionId, summary) => ({
      sessionUpdate: 'compaction_update',
      compactionId,
      status: 'completed',
      summary,
    }),
    (compactionId, content) => ({ sessionUpdate: 'compaction_summary_chunk', compactionId, content }),
  ],
];

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

describe('the fold', () => {
  test('the boundaries of text chunks do not change the conversation', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(messageId, fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1 })),
        ),
        fc.infiniteStream(fc.nat()),
        (said, cuts) => {
          const asChunks = (id: string, pieces: readonly string[]) =>
            pieces.map(
              (text): AnyUpdate => ({
                sessionUpdate: 'agent_message_chunk',
                messageId: id,
                content: { type: 'text', text },
              }),
            );
          const original = said.flatMap(([id, pieces]) => asChunks(id, pieces));
          const cut = said.flatMap(([id, pieces]) => {
            const whole = pieces.join('');
            // Between any two code units, including the middle of a surrogate pair.
            const at = whole.length === 0 ? 0 : cuts.next().value % (whole.length + 1);
            return asChunks(id, [whole.slice(0, at), whole.slice(at)]);
          });
          expect(fold(cut)).toEqual(fold(original));
        },
      ),
    );
  });

  test('entries do not move, and their keys are unique', () => {
    fc.assert(
      fc.property(updateList, (updates) => {
        let conversation = empty;
        for (const update of updates) {
          const next = fold([update], conversation);
          const keys = next.entries.map(({ key }) => key);
          expect(new Set(keys).size).toBe(keys.length);
          const before = conversation.entries.map(({ key }) => key);
          if (update.sessionUpdate === 'history_added' && update.replaces) {
            const replaced = new Set(update.replaces);
            const kept = before.filter((key) => !replaced.has(key));
            expect(keys.filter((key) => kept.includes(key))).toEqual(kept);
          } else if (update.sessionUpdate !== 'prompt_settled') {
            expect(keys.slice(0, before.length)).toEqual(before);
          }
          conversation = next;
        }
      }),
    );
  });

  test('updates of different entries commute, except for the order of the entries', () => {
    fc.assert(
      fc.property(updateList, fc.string(), fc.string(), (earlier, one, other) => {
        // A message without an id takes the id of the next update of its role.
        const before = earlier.filter((update) => !hasUnnamedMessage(update));
        const a: AnyUpdate = {
          sessionUpdate: 'agent_message',
          messageId: 'left',
          content: [{ type: 'text', text: one }],
        };
        const b: AnyUpdate = {
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

  test.each(wholes)('a whole %s gives the same conversation as its chunks', (_, whole, chunk) => {
    fc.assert(
      fc.property(fc.uniqueArray(messageId, { minLength: 1 }), fc.infiniteStream(blocks), (ids, contents) => {
        const live: AnyUpdate[] = [];
        const replay: AnyUpdate[] = [];
        for (const id of ids) {
          const content: ContentBlock[] = contents.next().value;
          live.push(whole(id, []), ...content.map((block) => chunk(id, block)));
          replay.push(whole(id, content));
        }
        expect(fold(replay)).toEqual(fold(live));
      }),
    );
  });

  test('no two blocks of plain text are neighbors, and no text with annotations or metadata is lost', () => {
    fc.assert(
      fc.property(updateList, messageId, blocks, (earlier, id, content) => {
        const conversation = fold([...earlier, { sessionUpdate: 'agent_message', messageId: id, content }]);
        for (const entry of conversation.entries) {
          const kept = entry.kind === 'compaction' ? entry.summary : 'content' in entry ? entry.content : [];
          if (entry.kind === 'toolCall') continue;
          const isPlain = kept.map((block) => isDeepStrictEqual(Object.keys(block), ['type', 'text']));
          expect(isPlain.some((plain, index) => plain && isPlain[index + 1])).toBe(false);
        }
        const message = conversation.entries.find(
          (entry) => entry.kind === 'message' && entry.role === 'agent' && entry.messageId === id,
        );
        const marked = content.filter((block) => block.annotations || block._meta);
        expect(message).toMatchObject({ content: expect.arrayContaining(marked) });
        expect(message?.kind === 'message' && textOf(message)).toBe(content.map(({ text }) => text).join(''));
      }),
    );
  });

  test('folding in two parts gives the same as folding all at once', () => {
    fc.assert(
      fc.property(updateList, fc.nat(), (updates, cut) => {
        const at = updates.length === 0 ? 0 : cut % updates.length;
        expect(fold(updates.slice(at), fold(updates.slice(0, at)))).toEqual(fold(updates));
      }),
    );
  });

  test('gives what the plain fold gives, after each update', () => {
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
      { numRuns: runs(300) },
    );
  });

  test('a conversation is deeply frozen, and folding does not write to it', () => {
    fc.assert(
      fc.property(updateList, updateList, (before, after) => {
        const conversation = deepFreeze(JSON.parse(JSON.stringify(fold(before))));
        const written = JSON.stringify(conversation);
        assertFrozen(fold(after, conversation));
        expect(JSON.stringify(conversation)).toBe(written);
      }),
    );
  });

  test('later updates do not change an earlier conversation, in whichever order they are read', () => {
    fc.assert(
      fc.property(updateList, fc.infiniteStream(fc.nat()), (updates, picks) => {
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

  test('folding an update again returns the same object, unless the update appends', () => {
    fc.assert(
      fc.property(updateList, anyUpdate, (before, update) => {
        fc.pre(!appends(update));
        const once = foldUpdate(fold(before), update);
        expect(foldUpdate(once, update)).toBe(once);
      }),
    );
  });

  test('the parts that an update does not change keep their identity', () => {
    fc.assert(
      fc.property(updateList, toolCallId, (updates, id) => {
        const before = fold(updates);
        const after = foldUpdate(before, {
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          title: 'renamed',
        });
        const touched = (entry: ConversationEntry | undefined) =>
          entry?.kind === 'toolCall' && entry.toolCallId === id;
        before.entries.forEach((entry, index) => {
          if (!touched(entry)) expect(after.entries[index]).toBe(entry);
        });
        for (const field of ['plans', 'terminals', 'usage', 'commands', 'configOptions', 'modes'] as const) {
          expect(after[field]).toBe(before[field]);
        }
      }),
    );
  });

  test('any updates give a valid conversation, which can be shown', () => {
    fc.assert(
      fc.property(updateList, (updates) => {
        const conversation = fold(updates);
        expect(conversationIssues(conversation)).toEqual([]);
        settingsOf(conversation);
        renderText(conversation);
      }),
    );
  });

  test('a value that is not an update changes nothing', () => {
    fc.assert(
      fc.property(updateList, plain, (before, update) => {
        const conversation = fold(before);
        // The type excludes these values, and this test is about them.
        expect(foldUpdate(conversation, update as never)).toBe(conversation);
      }),
      { numRuns: runs(300) },
    );
  });

  test('deeply nested values are folded and compared', () => {
    const deep = () => JSON.parse(`${'{"a":'.repeat(50_000)}[1]${'}'.repeat(50_000)}`);
    const update = (): AnyUpdate => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't1',
      rawInput: deep(),
    });
    const once = foldUpdate(empty, update());
    expect(once.entries).toHaveLength(1);
    expect(foldUpdate(once, update())).toBe(once);
  });
});

/** Any value that is not a function, including objects whose conversion to a string fails. */
const plain = fc.oneof(
  fc.anything(),
  fc.constantFrom<unknown>({ toString: '' }, { length: 1 }, [undefined], [null], [[]], Number.NaN, ''),
  fc.constant({ sessionUpdate: null }),
);
