import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/conversation/select.ts';
import { settingsOf } from '../../src/conversation/settings.ts';
import type { AnyUpdate } from '../../src/model/client-update.ts';
import type { ContentBlock, TextContent } from '../../src/model/content.ts';
import type { Conversation, ConversationEntry } from '../../src/model/conversation.ts';
import type { UnknownUpdate } from '../../src/model/update.ts';
import { renderText } from '../../src/render/text.ts';
import { anyUpdate, messageId, toolCallId } from '../support/arbitrary-updates.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../support/fold-any.ts';
import { conversationIssues } from '../unit/conversation/conversation-schema.ts';
import { plainFold } from './plain-fold.ts';

type KnownUpdate = Exclude<AnyUpdate, UnknownUpdate>;

/** Whether an update appends to the conversation each time that it is folded. */
const appends = ({ sessionUpdate }: AnyUpdate) =>
  /_chunk$|^(_unknown|turn_failed|history_added)$/.test(sessionUpdate);

/** Whether an update can add a message without an id. */
function hasUnnamedMessage(update: AnyUpdate): boolean {
  if (update.sessionUpdate === 'history_added') {
    return update.entries.some((entry) => entry.kind === 'message' && entry.messageId === null);
  }
  return /^(user|agent)_.*_chunk$/.test(update.sessionUpdate) && !('messageId' in update && update.messageId);
}

type Fold = (updates: readonly AnyUpdate[], from?: Conversation) => Conversation;

const empty = emptyConversation('s');
const fold: Fold = (updates, from = empty) => foldUpdates(from, updates);
const folds: readonly (readonly [name: string, fold: Fold])[] = [
  ['the fold', fold],
  ['the plain fold', (updates, from = empty) => plainFold(from, updates)],
];
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

function assertFrozen(value: unknown, path = 'conversation'): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value), path).toBe(true);
  for (const [key, part] of Object.entries(value)) assertFrozen(part, `${path}.${key}`);
}

describe.each(folds)('laws of %s', (_, fold) => {
  test('a conversation read back from JSON folds on like the original', () => {
    fc.assert(
      fc.property(updateList, updateList, (before, after) => {
        const conversation = fold(before);
        const restored = JSON.parse(JSON.stringify(conversation));
        expect(restored).toEqual(conversation);
        expect(structuredClone(conversation)).toEqual(conversation);
        expect(fold(after, restored)).toEqual(fold(after, conversation));
      }),
    );
  });

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

  test('an update that does not append is idempotent', () => {
    fc.assert(
      fc.property(updateList, anyUpdate, (before, update) => {
        fc.pre(!appends(update));
        expect(fold([...before, update, update])).toEqual(fold([...before, update]));
      }),
    );
  });
});

describe('the fold', () => {
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
      { numRuns: 500 },
    );
  });

  test('gives the same one by one as all at once', () => {
    fc.assert(
      fc.property(updateList, (updates) => {
        const stepwise = updates.reduce((conversation, update) => foldUpdate(conversation, update), empty);
        expect(stepwise).toEqual(fold(updates));
      }),
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

  test('an update with any value in a field neither throws nor makes the conversation invalid', () => {
    fc.assert(
      fc.property(updateList, brokenUpdate, (before, update) => {
        const conversation = fold(before);
        const next = foldUpdate(conversation, update);
        expect(conversationIssues(next)).toEqual([]);
        settingsOf(next);
        renderText(next);
      }),
      { numRuns: 2000 },
    );
  });

  test('a value that is not an update changes nothing', () => {
    fc.assert(
      fc.property(updateList, plain, (before, update) => {
        const conversation = fold(before);
        // The type excludes these values, and this test is about them.
        expect(foldUpdate(conversation, update as never)).toBe(conversation);
      }),
      { numRuns: 500 },
    );
  });

  test.each(Object.entries(complete))('%s is ignored if a field has a wrong type', (tag, fields) => {
    const update = { sessionUpdate: tag, ...fields } as AnyUpdate;
    if (tag !== 'notice' && tag !== 'replay_complete')
      expect(foldUpdate(populated, update)).not.toBe(populated);
    for (const [field, value] of Object.entries(fields)) {
      for (const wrong of wrongValues(value)) {
        // The type excludes these updates, and this test is about them.
        const broken = { ...update, [field]: wrong } as never;
        expect(foldUpdate(populated, broken), `${field}: ${inspect(wrong)}`).toBe(populated);
      }
    }
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

const block = { type: 'text', text: 'new' };
const change = { operation: 'modify', path: '/a', oldText: 'a', newText: 'b' };
const diff = { type: 'diff', changes: [change], patch: { format: 'git_patch', text: '@@' } };
const toolContent = [{ type: 'content', content: block }, diff, { type: 'terminal', terminalId: 'w1' }];
const planEntry = { content: 'new', priority: 'high', status: 'pending' };
const chunk = { messageId: 'm9', content: block, _meta: { a: 1 } };
const message = { messageId: 'm9', content: [block], _meta: { a: 1 } };
const toolCall = {
  toolCallId: 't9',
  title: 'new',
  name: 'new',
  kind: 'read',
  status: 'completed',
  content: toolContent,
  locations: [{ path: '/a', line: 1 }],
  capabilities: { cancel: {} },
  _meta: { a: 1 },
};
const entryFields = { key: 'new', origin: 'replay' };
const permission = {
  title: 'May I?',
  description: 'Once.',
  options: [{ optionId: 'o', name: 'Allow', kind: 'allow_once' }],
};
/** An entry of each kind with all of its fields, except those of any type. */
const entries = [
  { ...entryFields, kind: 'message', role: 'agent', messageId: 'm8', content: [block], meta: { a: 1 } },
  {
    ...entryFields,
    kind: 'sessionMessage',
    messageId: 's8',
    senderSessionId: 'a',
    recipientSessionId: 'b',
    senderMessageId: 's9',
    recipientMessageId: 's7',
    content: [block],
    meta: { a: 1 },
  },
  {
    ...entryFields,
    kind: 'toolCall',
    toolCallId: 't8',
    title: 'new',
    toolKind: 'read',
    name: 'new',
    status: 'pending',
    content: toolContent,
    locations: [{ path: '/a', line: 1 }],
    capabilities: { cancel: {} },
    permission,
    meta: { a: 1 },
  },
  {
    ...entryFields,
    kind: 'compaction',
    compactionId: 'c8',
    status: 'failed',
    summary: [block],
    error: 'new',
    meta: { a: 1 },
  },
  { ...entryFields, kind: 'turnFailure', cause: 'failed', reason: 'new', code: 1 },
  { ...entryFields, kind: 'unknown', tag: '_new', raw: { a: 1 } },
];
const choices = [{ groupId: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }];

/** An update of each kind with all of its fields, except those of any type. */
const complete: Readonly<Record<KnownUpdate['sessionUpdate'], object>> = {
  user_message_chunk: chunk,
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  user_message: message,
  agent_message: message,
  agent_thought: message,
  session_message: {
    ...message,
    senderSessionId: 'a',
    recipientSessionId: 'b',
    senderMessageId: 's9',
    recipientMessageId: 's7',
  },
  session_message_chunk: { messageId: 's9', content: block, _meta: { a: 1 } },
  prompt_submitted: { key: 'prompt:9', content: [block] },
  prompt_settled: { key: 'prompt:1', accepted: true, messageId: 'm9' },
  pending_messages: {
    messages: [{ id: 'queue:1', kind: 'queue', state: 'held', content: [block], messageId: 'm9' }],
  },
  tool_call: toolCall,
  tool_call_update: toolCall,
  tool_call_content_chunk: { toolCallId: 't9', content: diff, _meta: { a: 1 } },
  permission_update: { toolCallId: 't1', permission },
  unfinished_cancelled: {},
  terminal_update: {
    terminalId: 'w9',
    command: 'make',
    cwd: '/a',
    output: { data: 'QQ==' },
    exitStatus: { exitCode: 1, signal: 'SIGTERM' },
    size: { cols: 80, rows: 24 },
    capabilities: { cancel: {} },
    _meta: { a: 1 },
  },
  terminal_output_chunk: { terminalId: 'w9', data: 'QQ==', _meta: { a: 1 } },
  terminal_output_reported: { terminalId: 'w9', data: 'QQ==' },
  terminal_started: { terminalId: 'w9', command: 'make all', argv: ['make', 'all'], cwd: '/a' },
  terminal_printed: { terminalId: 'c1', text: 'A' },
  terminal_read: { terminalId: 'c1', output: 'A', truncated: true },
  terminal_exited: { terminalId: 'c1', exitStatus: { exitCode: 1, signal: 'SIGTERM' } },
  plan_update: { plan: { type: 'items', planId: 'p9', entries: [planEntry] }, _meta: { a: 1 } },
  plan: { entries: [planEntry], _meta: { a: 1 } },
  plan_removed: { planId: 'p1', _meta: { a: 1 } },
  state_update: {
    state: 'idle',
    stopReason: 'error',
    error: { message: 'new' },
    usage: { totalTokens: 5, thoughtTokens: 1 },
    background: [{ type: 'tool_call', toolCallId: 't1' }],
    _meta: { a: 1 },
  },
  available_commands_update: { availableCommands: [{ name: 'c', description: 'C' }], _meta: { a: 1 } },
  current_mode_update: { currentModeId: 'new', _meta: { a: 1 } },
  modes_update: { modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } },
  models_update: { models: { currentModelId: 'a', availableModels: [{ modelId: 'a', name: 'A' }] } },
  turn_failed: { cause: 'failed', reason: 'new', code: -32603 },
  history_added: {
    entries,
    terminals: [
      {
        terminalId: 'w8',
        owner: 'client',
        command: 'make',
        argv: ['make'],
        cwd: '/a',
        bytes: 'A',
        droppedBytes: 0,
        exitStatus: { exitCode: 1, signal: 'SIGTERM' },
        size: { cols: 80, rows: 24 },
        capabilities: { cancel: {} },
        meta: { a: 1 },
      },
    ],
    replaces: ['user#1'],
  },
  config_option_update: {
    configOptions: [
      { configId: 'c', name: 'C', type: 'boolean', currentValue: true },
      { configId: 'd', name: 'D', type: 'select', currentValue: 'a', options: choices },
    ],
    _meta: { a: 1 },
  },
  session_info_update: { title: 'new', updatedAt: '2026-01-01T00:00:00Z', _meta: { a: 1 } },
  usage_update: { used: 1, size: 2, cost: { amount: 1, currency: 'EUR' }, _meta: { a: 1 } },
  subagent_update: {
    sessionId: 's9',
    title: 'new',
    description: 'new',
    cwd: '/a',
    additionalDirectories: ['/b'],
    capabilities: { cancel: {} },
    state: { state: 'running' },
    _meta: { a: 1 },
  },
  replay_complete: { _meta: { a: 1 } },
  notice: { severity: 'info', title: 'new', description: 'new', _meta: { a: 1 } },
  compaction_update: {
    compactionId: 'c9',
    status: 'completed',
    summary: [block],
    error: 'new',
    _meta: { a: 1 },
  },
  compaction_summary_chunk: { compactionId: 'c9', content: block, _meta: { a: 1 } },
};

/** A conversation that each of these updates changes. */
const populated = fold([
  { sessionUpdate: 'prompt_submitted', key: 'prompt:1', content: [] },
  { sessionUpdate: 'tool_call_update', toolCallId: 't1' },
  { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p1', entries: [] } },
  { sessionUpdate: 'terminal_started', terminalId: 'c1', command: 'make', argv: null, cwd: null },
]);

/** Values of other types than `value`, with the parts of an object or a list replaced one by one. */
function wrongValues(value: unknown): readonly unknown[] {
  const others = [5, true, Number.NaN, { toString: '' }, [5], [undefined], 'text'].filter(
    (other) => kindOf(other) !== kindOf(value) || (Array.isArray(value) && Array.isArray(other)),
  );
  // Metadata, capabilities and errors are objects of any shape.
  if (
    typeof value !== 'object' ||
    value === null ||
    'a' in value ||
    'cancel' in value ||
    'message' in value
  ) {
    return others;
  }
  const parts = Object.entries(value).flatMap(([key, part]) =>
    wrongValues(part)
      .filter(() => !anyValue.has(key))
      .map((wrong) => (Array.isArray(value) ? value.with(Number(key), wrong) : { ...value, [key]: wrong })),
  );
  return [...others, ...parts];
}

/** Fields within an update that the conversation keeps unchanged, whatever they hold. */
const anyValue = new Set(['operation', 'path', 'oldText', 'newText', 'format', 'groupId', 'toolCallId']);

function kindOf(value: unknown): string {
  return Number.isNaN(value) ? 'NaN' : Array.isArray(value) ? 'list' : typeof value;
}

/** Any value that is not a function, including objects whose conversion to a string fails. */
const plain = fc.oneof(
  fc.anything(),
  fc.constantFrom<unknown>({ toString: '' }, { length: 1 }, [undefined], [null], [[]], Number.NaN, ''),
);

/** A value with one part replaced, at any depth. */
function broken(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return plain;
  return fc.oneof(
    plain,
    fc.constantFrom(...Object.keys(value)).chain((key) => {
      const part = broken(value[key as keyof typeof value]);
      return part.map((next) =>
        Array.isArray(value) ? value.with(Number(key), next) : { ...value, [key]: next },
      );
    }),
  );
}

// The types exclude these values, and the laws are about them.
const brokenUpdate = anyUpdate.chain((update) =>
  broken(update).map((value) =>
    typeof value === 'object' ? { ...value, sessionUpdate: update.sessionUpdate } : value,
  ),
) as fc.Arbitrary<AnyUpdate>;
