import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../src/core/base/json.ts';
import { shortEntry } from '../../../src/core/conversation/entry-defaults.ts';
import { freeze } from '../../../src/core/conversation/equal.ts';
import { eventObserver } from '../../../src/core/conversation/events.ts';
import { newHistory } from '../../../src/core/conversation/history.ts';
import { maxPlans } from '../../../src/core/conversation/plans.ts';
import { type ConversationChange, replayEvents } from '../../../src/core/conversation/replay-events.ts';
import { createSessionStore } from '../../../src/core/conversation/store.ts';
import { maxSubagents } from '../../../src/core/conversation/subagents.ts';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../../src/core/model/event.ts';
import type { Dialect } from '../../../src/core/protocol/dialect.ts';
import { dialects } from '../../../src/core/protocol/dialects.ts';
import type { NormalizedUpdate } from '../../../src/core/protocol/normalize.ts';
import { assertFrozen, conversationIssues } from '../../laws/saved-conversations.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { goldenSections } from '../../support/golden-sections.ts';
import { says } from '../../support/updates.ts';

const empty = emptyConversation('s');

/** A value in one line. An entry is without the fields that have their usual values. */
const inOneLine = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    isJsonObject(part) && 'kind' in part ? shortEntry(part as unknown as ConversationEntry) : part,
  );

/** What a line makes: who says it, its name, its fields. What an agent sends or replays is read as in its version. */
function changesOf(dialect: Dialect, line: string): readonly ConversationChange[] {
  const [, by, sessionUpdate, json = ''] = /^> (agent|replay|client|saved) (\w+) (.*)$/.exec(line) ?? [];
  const fields = JSON.parse(json);
  if (by === 'saved') return [{ reset: freeze({ ...empty, ...fields }) }];
  const sent = { sessionUpdate, ...fields };
  const read: NormalizedUpdate = by === 'client' ? { update: sent } : dialect.normalize(sent);
  if (!read.update) throw new Error(`No agent of ${dialect.name} sends this: ${line}`);
  const updates = [read.update, ...(read.more ?? [])];
  return updates.map((update) => ({ update, origin: by === 'replay' ? 'replay' : 'live' }));
}

/** What a fold has copied without a change of it: a conversation or its entries. */
function copiesIn(before: Conversation, after: Conversation): readonly object[] {
  const known = [before, ...before.entries];
  return [after, ...after.entries].filter(
    (part, at) => part !== known[at] && isDeepStrictEqual(part, known[at]),
  );
}

/**
 * The lines with the events of each, and the conversation after them: its entries, and the other fields that changed. A
 * store, one update after the other, and each update of a copy give the same.
 */
function toldBy(dialect: Dialect, lines: readonly string[]): readonly string[] {
  const store = createSessionStore(empty);
  const [told, events, again]: [string[], ConversationEvent[], ConversationEvent[]] = [[], [], []];
  const changes: ConversationChange[] = [];
  store.observe(
    eventObserver((event) => {
      events.push(event);
      if (event.type === 'terminal') assertFrozen(event.terminal);
      told.push(`  ${inOneLine(event)}`);
    }),
  );
  store.record((change) => changes.push(change));
  let [followed, copied] = [empty, empty];
  for (const line of lines) {
    told.push(line);
    for (const change of changesOf(dialect, line)) {
      if ('reset' in change) {
        store.reset(change.reset);
        followed = copied = change.reset;
        continue;
      }
      store.apply(change.update, change.origin);
      const next = foldUpdate(followed, change.update, change);
      expect(copiesIn(followed, next), line).toEqual([]);
      followed = next;
      const own = structuredClone(copied);
      copied = foldUpdate(own, change.update, change);
      expect(own.entries.some(Object.isFrozen), line).toBe(false);
    }
  }
  const { entries, ...fields } = store.getSnapshot();
  const written = JSON.parse(JSON.stringify({ entries, ...fields }));
  expect([followed, copied, written]).toStrictEqual(Array(3).fill({ entries, ...fields }));
  expect(conversationIssues(written)).toEqual([]);
  expect(newHistory(empty, empty, written).entries).toEqual(entries);
  assertFrozen(followed);
  const other = { type: 'entryRemoved', key: 'other' } as const;
  replayEvents(empty, [...changes, { event: other }], (event) => again.push(event));
  expect(again).toEqual([...events, other]);
  const changed = Object.entries(fields).filter(
    ([name, value]) => !isDeepStrictEqual(value, empty[name as keyof typeof empty]),
  );
  return [
    ...told,
    ...entries.map((entry) => `= ${inOneLine(entry)}`),
    ...changed.map(([name, value]) => `= ${name} ${inOneLine(value)}`),
  ];
}

/**
 * The sections of the golden file. A line that begins with `>` is given. The events that it makes follow it, and lines with
 * `=` are the conversation at the end. A section is of one version of the protocol, or the same in both.
 */
const sections = goldenSections(new URL('golden/fold.txt', import.meta.url));

test('what updates do is what the golden file says', async () => {
  const told = sections.flatMap(([title, given]) => {
    const versions = [dialects.v1, dialects['v2-baseline']].filter(
      ({ protocolVersion }) => !/^v\d/.test(title) || title.startsWith(`v${protocolVersion}`),
    );
    const [first = [], second = first] = versions.map((dialect) => toldBy(dialect, given));
    expect(second, title).toEqual(first);
    return [`# ${title}`, ...first];
  });
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('golden/fold.txt');
});

test('[reliability: limit-plans] a conversation has at most 1,000 plans, and the oldest ones are removed', () => {
  const ids = Array.from({ length: maxPlans + 2 }, (_, index) => `p${index}`);
  const { plans } = foldUpdates(
    empty,
    ids.map((planId) => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries: [] } })),
  );
  expect(plans.map(({ planId }) => planId)).toEqual(ids.slice(2));
});

test('a conversation that has as many subagents as it can have follows these', () => {
  const ids = Array.from({ length: maxSubagents + 5 }, (_, index) => `s${index}`);
  const announce = (sessionId: string, title: string | null = null) =>
    ({ sessionUpdate: 'subagent_update', sessionId, title }) as const;
  const { subagents = [] } = foldUpdates(empty, [...ids.map((id) => announce(id)), announce('s0', 'First')]);
  expect(subagents.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, maxSubagents));
  expect(subagents[0]?.title).toBe('First');
});

test('a conversation of a later version can have entries of other kinds', () => {
  const later = JSON.parse(JSON.stringify({ ...empty, entries: [{ kind: 'later', key: 'later#1' }] }));
  const { entries } = foldUpdate(later, says('Hello.', 'm1'));
  expect(entries).toMatchObject([{ kind: 'later' }, { messageId: 'm1' }]);
});
