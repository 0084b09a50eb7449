import { expect, test } from 'vitest';
import { compareRows } from '../../../../../src/programs/inspector/page/difference.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { recordedStep } from '../../../../support/agent-recordings.ts';

const sent = (method: string, params: object, dir: 'in' | 'out' = 'out'): TimelineItem => {
  return { type: 'message', dir, t: 0, msg: { method, params } };
};
const chunk = (text: string): TimelineItem => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return sent('session/update', { update }, 'in');
};
const rowsOf = (items: readonly TimelineItem[]) => new LoadedTimeline('', items).rows;

const tea = [sent('a', { cups: [1, 2], milk: { hot: true } }), sent('b', { x: 1 }), sent('a', { last: 1 })];

test.each<[string, readonly TimelineItem[], readonly TimelineItem[], object, readonly object[]]>([
  ['nowhere', tea, tea, { equal: 3 }, []],
  [
    'at the places whose values are others',
    tea,
    [sent('a', { cups: [1, 3], milk: {} }), sent('b', { x: 2 }), sent('a', { last: 2 })],
    { changed: 3 },
    [
      { name: '→ a', index: 0, path: ['cups', '1'], left: 2, right: 3 },
      { name: '→ a', index: 0, path: ['milk', 'hot'], left: true, right: undefined },
      { name: '→ b', index: 1, path: ['x'], left: 1, right: 2 },
      { name: '→ a', index: 2, path: ['last'], left: 1, right: 2 },
    ],
  ],
  [
    'in a message that one of them has',
    [sent('c', { y: 1 }), ...tea],
    [...tea, sent('d', { z: 1 })],
    { equal: 3, removed: 1, added: 1 },
    [
      { name: '→ c', index: 0, path: [], left: { y: 1 }, right: undefined },
      { name: '→ d', index: null, path: [], left: undefined, right: { z: 1 } },
    ],
  ],
  [
    'in a text, and not in its pieces',
    [chunk('Good '), chunk('morning'), ...tea, chunk('Tea'), chunk('?')],
    [chunk('Good morning'), ...tea, chunk('T'), chunk('ea!')],
    { equal: 4, changed: 1 },
    [{ name: '← session/update agent_message_chunk', index: 5, path: [], left: 'Tea?', right: 'Tea!' }],
  ],
  [
    'not in ids and times, but in which id it is',
    [sent('a', { sessionId: 's-12345', time: 1 }), sent('b', { sessionId: 's-12345' })],
    [sent('a', { sessionId: 's-67890', time: 2 }), sent('b', { sessionId: 's-00000' })],
    { equal: 1, changed: 1 },
    [{ path: ['sessionId'], left: '(sessionId 1)', right: '(sessionId 2)' }],
  ],
])('two recordings differ %s', (_, left, right, counts, differences) => {
  const comparison = compareRows(rowsOf(left), rowsOf(right));
  expect(comparison.counts).toEqual({ equal: 0, changed: 0, removed: 0, added: 0, ...counts });
  expect(comparison.differences).toMatchObject(differences);
  expect(comparison.differences).toHaveLength(differences.length);
});

test('the two versions of one agent are compared by what they say', async () => {
  const recorded = async (name: string) => rowsOf(await readTimeline(recordedStep(name, 'text')));
  const { counts, differences } = compareRows(await recorded('claude-v1'), await recorded('claude-v2'));
  // The prompt and the text of the answer are the same in both.
  expect(differences.filter(({ name }) => /^→ session\/prompt$|agent_message/.test(name))).toEqual([]);
  expect(counts.removed + counts.added).toBeLessThan(counts.equal + counts.changed);
});
