import { expect, test } from 'vitest';
import { WireLines } from '../../../../../src/programs/inspector/page/lines.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { durationText, lineText } from '../../../../../src/programs/inspector/page/rows.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';

const message = (dir: 'in' | 'out', msg: object): TimelineItem => ({ type: 'message', dir, t: 0, msg });
const update = (sessionId: string, body: object) =>
  message('in', { method: 'session/update', params: { sessionId, update: body } });
const chunk = (text: string, sessionUpdate = 'agent_message_chunk') =>
  update('s1', { sessionUpdate, content: { type: 'text', text } });

const items = [
  message('out', { id: 1, method: 'session/prompt', params: { sessionId: 's1', prompt: [] } }),
  chunk('Good '),
  chunk('morning'),
  chunk('Hm.', 'agent_thought_chunk'),
  chunk('Tea?'),
  update('two words', { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Boil' }),
  message('in', { id: 1, result: { stopReason: 'end_turn' } }),
  { type: 'stderr', t: 0, text: 'kettle: hot\n' },
] as const satisfies readonly TimelineItem[];
const lines = items.map((item) => ({ item }));
const { rows } = new LoadedTimeline('tea', lines);

/** The first and the last row of each line that a search finds. */
const found = (search: string) =>
  new WireLines(rows, search).update().flatMap(({ first, last }) => [first, last]);

test.each([
  ['', [0, 0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]],
  ['from:client ', [0, 0]],
  ['from:agent is:answer ', [6, 6]],
  ['is:stderr ', [7, 7]],
  ['method:session/prompt ', [0, 0, 6, 6]],
  ['update:tool_call ', [5, 5]],
  ['session:"two words" ', [5, 5]],
  ['rows:2-3', [1, 2]],
  ['"morning"', [2, 2]],
  ['MORNING good', []],
  ['method:unknown ', []],
  // A minus excludes.
  ['-update:agent_message_chunk is:notification ', [3, 3, 5, 5]],
  // A value finds what begins with it, and a word without a value everything.
  ['update:tool', [5, 5]],
  ['is:stderr update:', [7, 7]],
  // A name that is not known is a text.
  ['kettle:', [7, 7]],
  ['toString:x', []],
])('the search “%s” finds these rows, and the pieces of a text are one line', (search, expected) => {
  expect(found(search)).toEqual(expected);
});

test('a line grows with its text', () => {
  const timeline = new LoadedTimeline('tea', lines.slice(0, 2));
  const wire = new WireLines(timeline.rows, '');
  const [, line] = wire.update();
  timeline.take({ item: items[2] });
  expect(wire.update()).toEqual([{ first: 0, last: 0 }, line]);
  expect([line?.last, wire.placeOf(2)]).toEqual([2, 1]);
});

test.each([
  ['one', 'one'],
  ['one\ntwo', 'one +1 line'],
  ['one\r\ntwo\u2028three\n', 'one +3 lines'],
  ['x'.repeat(201), `${'x'.repeat(200)}…`],
])('a text of several lines is one line', (text, expected) => {
  expect(lineText(text)).toBe(expected);
});

test.each([
  [999, '999 ms'],
  [999.6, '1.0 s'],
  [1500, '1.5 s'],
  [59_960, '1 min 0 s'],
  [60_000, '1 min 0 s'],
  [119_600, '2 min 0 s'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
