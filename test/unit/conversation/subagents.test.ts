import { describe, expect, test } from 'vitest';
import { foldUpdate } from '../../../src/core/conversation/fold.ts';
import { maxSubagents } from '../../../src/core/conversation/subagents.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const announced = (sessionId: string) => ({ sessionUpdate: 'subagent_update', sessionId }) as const;

describe('the subagents of a conversation', () => {
  test('are none until the agent announces one', () => {
    expect(emptyConversation('s')).not.toHaveProperty('subagents');
  });

  test('an update changes the fields that it carries, and null clears them', () => {
    const { subagents } = foldUpdates(emptyConversation('s'), [
      {
        ...announced('a'),
        title: 'Search',
        cwd: '/tmp',
        capabilities: { cancel: {} },
        _meta: { a: 1, b: 1 },
      },
      { ...announced('b'), description: 'Reads.' },
      {
        ...announced('a'),
        description: 'Finds tests.',
        additionalDirectories: [],
        cwd: null,
        capabilities: null,
        _meta: { a: null },
      },
    ]);
    expect(subagents).toEqual([
      {
        sessionId: 'a',
        title: 'Search',
        description: 'Finds tests.',
        cwd: null,
        additionalDirectories: [],
        capabilities: null,
        meta: { b: 1 },
      },
      {
        sessionId: 'b',
        title: null,
        description: 'Reads.',
        cwd: null,
        additionalDirectories: null,
        capabilities: null,
        meta: null,
      },
    ]);
  });

  test('what a subagent does is in its own conversation', () => {
    const before = foldUpdate(emptyConversation('s'), announced('a'));
    const after = foldUpdate(before, { ...announced('a'), state: { state: 'running' } });
    expect(after).toBe(before);
  });

  test('are no more than the limit, and those that are known still change', () => {
    const updates = Array.from({ length: maxSubagents + 5 }, (_, index) => announced(`child-${index}`));
    const full = foldUpdates(emptyConversation('s'), updates);
    expect(full.subagents).toHaveLength(maxSubagents);
    const changed = foldUpdate(full, { ...announced('child-0'), title: 'First' });
    expect(changed.subagents?.[0]?.title).toBe('First');
  });
});
