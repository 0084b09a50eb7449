import { expect, test } from 'vitest';
import { toJson, toJsonLine } from '../../../../src/programs/cli/print.ts';

const hidden = [
  '\x7f',
  '\x9b',
  '\u00ad',
  '\u200b',
  '\u200f',
  '\u202e',
  '\u2060',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
];

test.each(hidden)('JSON has no character that cannot be seen: %j', (char) => {
  for (const json of [toJson({ text: `a${char}b` }), toJsonLine([`a${char}b`])]) {
    expect(json).not.toContain(char);
    expect(JSON.stringify(JSON.parse(json))).toContain(`a${char}b`);
  }
});

test('other characters of a JSON text stay as they are', () => {
  expect(toJsonLine({ text: 'ä 漢 👍🏽' })).toBe('{"text":"ä 漢 👍🏽"}\n');
});
