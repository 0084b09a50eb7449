import { expect, test } from 'vitest';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { maxDepth, shallow } from '../../../../../src/programs/inspector/timeline/shallow.ts';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

test.each([5000, 100_000])('a recording with a message nested %i deep can be shown', async (depth) => {
  const lines = [
    '{"dir":"out","t":0,"msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}}',
    `{"dir":"in","t":1,"msg":{"jsonrpc":"2.0","method":"x","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}}`,
    '{"dir":"in","t":2,"msg":{"jsonrpc":"2.0","method":"after"}}',
  ];
  const text = JSON.stringify(await readTimeline(lines.join('\n')));
  expect(text).toContain('deeper than 500 levels');
  expect(text).toContain('"after"');
});

test('a value of the greatest depth is the same value, and what is deeper is a text', () => {
  const value = { list: nested(maxDepth) };
  expect(shallow(value)).toBe(value);
  const cut = `(deeper than ${maxDepth} levels: not shown)`;
  const list = JSON.stringify(nested(maxDepth - 1)).replace('[]', `[${JSON.stringify(cut)}]`);
  const deeper = { list: nested(maxDepth + 1), no: null, text: 'a', number: 1, empty: [], ['__proto__']: {} };
  expect(shallow(deeper)).toStrictEqual({
    ...{ list: JSON.parse(list), no: null, text: 'a', number: 1, empty: [] },
    ['__proto__']: {},
  });
});

test.each([null, undefined, 'text', 1, true])('%s is not deep', (value) => {
  expect(shallow(value)).toBe(value);
});
