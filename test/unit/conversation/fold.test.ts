import { describe, expect, test } from 'vitest';
import { maxPlans } from '../../../src/core/conversation/plans.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../../src/core/model/content.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { text } from '../../support/agents.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { repeats, says } from '../../support/updates.ts';

const fold = (...updates: AnyUpdate[]) => foldUpdates(emptyConversation('s'), updates);
const step = (updates: AnyUpdate[], from: Conversation = emptyConversation('s')) =>
  updates.reduce((conversation, update) => foldUpdate(conversation, update), from);

test('[reliability: limit-plans] a conversation has at most 1,000 plans, and the oldest ones are removed', () => {
  const ids = Array.from({ length: maxPlans + 2 }, (_, index) => `p${index}`);
  const { plans } = step(
    ids.map((planId) => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries: [] } })),
  );
  expect(plans.map(({ planId }) => planId)).toEqual(ids.slice(2));
});

test('a version 1 plan can be folded without a connection', () => {
  const entry = (content: string) => ({ content, priority: 'high', status: 'pending' });
  const { plans, entries } = step([
    { sessionUpdate: 'plan', entries: [entry('read'), entry('write')] },
    { sessionUpdate: 'plan', entries: [entry('sleep')] },
  ]);
  expect(plans).toEqual([{ planId: 'plan', type: 'items', entries: [entry('sleep')] }]);
  expect(entries).toEqual([]);
});

describe('the texts of a message', () => {
  const marked = { ...text('for the user'), annotations: { audience: ['user'] } };
  const user = (...content: ContentBlock[]): AnyUpdate => ({
    sessionUpdate: 'user_message',
    messageId: 'u1',
    content,
  });

  test('are one block if the agent sends the message as a whole', () => {
    const { entries } = fold(user(text('I did not t'), { ...text('ouch it.'), annotations: null }));
    expect(entries).toMatchObject([{ content: [text('I did not touch it.')] }]);
  });

  test('keep their annotations and metadata in blocks of their own', () => {
    const withMeta = { ...text('with metadata'), _meta: { a: 1 } };
    const { entries } = fold(user(text('a'), text('b'), marked, text('c'), withMeta, text('d')));
    expect(entries).toMatchObject([{ content: [text('ab'), marked, text('c'), withMeta, text('d')] }]);
  });

  test('of a prompt are one block before and after the agent repeats it', () => {
    const content = [text('Hel'), text('lo.')];
    const sent = fold({ sessionUpdate: 'prompt_submitted', key: 'p1', content });
    expect(sent.entries).toMatchObject([{ origin: 'local', content: [text('Hello.')] }]);
    const { entries } = step([user(...content)], sent);
    expect(entries).toMatchObject([{ key: 'p1', origin: 'live', content: [text('Hello.')] }]);
  });

  test('of a prompt are there once if the agent repeats them word for word and without an id', () => {
    const content = [text('Hello.')];
    const sent = fold({ sessionUpdate: 'prompt_submitted', key: 'p1', content });
    const repeated = step([repeats('Hello.')], sent);
    expect(repeated.entries).toMatchObject([{ key: 'p1', origin: 'live', content }]);
    const accepted = step([{ sessionUpdate: 'prompt_settled', key: 'p1', accepted: true }], repeated);
    expect(accepted.entries).toHaveLength(1);
    // What the agent says of its own is not an echo.
    expect(step([repeats('Hello.')], step([says('a', 'm1')], sent)).entries).toHaveLength(3);
    const others = step([repeats('An earlier prompt.')], sent);
    expect(others.entries).toMatchObject([{ key: 'p1', origin: 'local', content }, { origin: 'live' }]);
  });

  test('that a saved conversation has in several blocks are kept, and the last one is continued', () => {
    const saved = JSON.parse(JSON.stringify(fold(says('a', 'm1'))));
    saved.entries[0].content.push(text('b'));
    const { entries } = step([says('c', 'm1')], saved);
    expect(entries).toMatchObject([{ content: [text('a'), text('bc')] }]);
  });
});
