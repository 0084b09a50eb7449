import { expect, test } from 'vitest';
import { compareRows } from '../../../../../src/programs/inspector/page/difference.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';

const sent = (method: string, params: object, dir: 'in' | 'out' = 'out'): TimelineItem => {
  return { type: 'message', dir, t: 0, msg: { method, params } };
};
const chunk = (text: string): TimelineItem => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return sent('session/update', { update }, 'in');
};
const rowsOf = (items: readonly TimelineItem[]) =>
  new LoadedTimeline(
    '',
    items.map((item) => ({ item })),
  ).rows;

const tea = [sent('a', { cups: [1, 2], milk: { hot: true } }), sent('b', { x: 1 }), sent('a', { last: 1 })];
const [run1, run2] = [
  { time: 1, idempotencyKey: '12-34-56' },
  { time: 2, idempotencyKey: '78-90-12' },
];
const long = 'x'.repeat(300);

test.each<[string, readonly TimelineItem[], readonly TimelineItem[], number, readonly object[]]>([
  ['nowhere', tea, tea, 3, []],
  [
    'in the fields whose values are others',
    tea,
    [sent('a', { cups: [1, 3], milk: {} }), sent('b', { x: 2 }), sent('a', { last: 2 })],
    0,
    [
      { kind: 'changed', name: '→ a', index: 0, fields: ['cups.1: 2 → 3', 'milk.hot: true → —'] },
      { kind: 'changed', name: '→ b', index: 1, fields: ['x: 1 → 2'] },
      { kind: 'changed', name: '→ a', index: 2, fields: ['last: 1 → 2'] },
    ],
  ],
  [
    'in a message that one of them has',
    [sent('c', { y: 1 }), ...tea],
    [...tea, sent('d', { z: 1 })],
    3,
    [
      { kind: 'removed', name: '→ c', index: 0, fields: ['{"y":1} → —'] },
      { kind: 'added', name: '→ d', index: null, fields: ['— → {"z":1}'] },
    ],
  ],
  [
    'in a text, and not in its pieces',
    [chunk('Good '), chunk('morning'), ...tea, chunk('Tea'), chunk('?')],
    [chunk('Good morning'), ...tea, chunk('T'), chunk('ea!')],
    4,
    [
      {
        kind: 'changed',
        name: '← session/update agent_message_chunk',
        index: 5,
        fields: ['"Tea?" → "Tea!"'],
      },
    ],
  ],
  [
    'at the end of a long text',
    [chunk(`${long}?`)],
    [chunk(`${long}!`)],
    0,
    [{ kind: 'changed', fields: [`…${'x'.repeat(40)}?" → …${'x'.repeat(40)}!"`] }],
  ],
  [
    'not in ids, keys and times, but in which id it is',
    [sent('a', { sessionId: 's-12345', ...run1 }), sent('b', { sessionId: 's-12345' })],
    [sent('a', { sessionId: 's-67890', ...run2 }), sent('b', { sessionId: 's-00000' })],
    1,
    [{ kind: 'changed', name: '→ b', fields: ['sessionId: "(sessionId 1)" → "(sessionId 2)"'] }],
  ],
])('two recordings differ %s', (_, left, right, equal, differences) => {
  const comparison = compareRows(rowsOf(left), rowsOf(right));
  expect(comparison.equal).toBe(equal);
  expect(comparison.differences).toMatchObject(differences);
  expect(comparison.differences).toHaveLength(differences.length);
});
