import { describe, expect, test } from 'vitest';
import { WireLines } from '../../../../../src/programs/inspector/page/lines.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { bytesText, durationText, lineText } from '../../../../../src/programs/inspector/page/rows.ts';
import { WireWords } from '../../../../../src/programs/inspector/page/suggestions.ts';
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

describe('the lines of the messages', () => {
  const { rows } = new LoadedTimeline('tea', items);
  const ranges = (search: string, unfolded: readonly number[] = []) =>
    new WireLines().update(rows, search, new Set(unfolded)).map(({ first, last }) => [first, last]);

  test('the pieces of one text in a row are one line', () => {
    expect(ranges('')).toEqual([
      [0, 0],
      [1, 2],
      [3, 3],
      [4, 4],
      [5, 5],
      [6, 6],
      [7, 7],
    ]);
  });

  test('a text that is unfolded has a line for each piece', () => {
    expect(ranges('', [1]).slice(0, 4)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('a line grows with its text, and is measured on', () => {
    const timeline = new LoadedTimeline('tea', items.slice(0, 2));
    const wire = new WireLines();
    const unfolded = new Set<number>();
    const [, line] = wire.update(timeline.rows, '', unfolded);
    const before = wire.bytesOf(line!);
    timeline.append(items[2]);
    expect(wire.update(timeline.rows, '', unfolded)).toEqual([{ first: 0, last: 0, run: null }, line]);
    expect(line?.last).toBe(2);
    expect(wire.bytesOf(line!)).toBeGreaterThan(before);
    expect(wire.placeOf(2)).toBe(1);
  });

  const found = (search: string) => ranges(search).flatMap(([first = 0, last = 0]) => [first, last]);

  test.each([
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
  ])('%s finds these rows', (search, expected) => {
    expect(found(search)).toEqual(expected);
  });

  test('a minus excludes', () => {
    expect(found('-update:agent_message_chunk is:notification ')).toEqual([3, 3, 5, 5]);
  });

  test('a value that is being typed finds what begins with it, and a word without a value everything', () => {
    expect(found('update:tool')).toEqual([5, 5]);
    expect(found('update:tool ')).toEqual([]);
    expect(ranges('update:')).toEqual(ranges(''));
    expect(ranges('update: ')).toEqual(ranges(''));
  });

  test('a name that is not known is a text', () => {
    expect(found('kettle:')).toEqual([7, 7]);
    expect(found('toString:x')).toEqual([]);
  });
});

describe('the suggestions', () => {
  const { rows } = new LoadedTimeline('tea', items);
  const suggest = (search: string) => new WireWords().suggest(rows, search).map(({ text }) => text);

  test('begin with the words, and go on with their values', () => {
    expect(suggest('')).toEqual(['from:', 'is:', 'method:', 'update:', 'session:']);
    expect(suggest('from:agent me')).toEqual([
      'from:agent method:',
      'from:agent is:message ',
      'from:agent update:agent_message_chunk ',
    ]);
    expect(suggest('from:')).toEqual(['from:agent ', 'from:client ']);
    expect(suggest('-update:tool')).toEqual(['-update:tool_call ']);
    expect(suggest('session:two')).toEqual(['session:"two words" ']);
  });
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

test.each([
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
