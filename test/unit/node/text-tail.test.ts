import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastLines } from '../../../src/core/base/printable.ts';
import { TextTail } from '../../../src/node/process/text-tail.ts';

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 30 });

/** The longest end of `text` that has at most `limitBytes` and begins with a whole character. */
function longestEnd(text: string, limitBytes: number): string {
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > limitBytes) characters.shift();
  return characters.join('');
}

test('it keeps the longest end of the pushed text that fits, in whole characters', () => {
  fc.assert(
    fc.property(texts, fc.nat(100), (pieces, limitBytes) => {
      const tail = new TextTail(limitBytes);
      for (const piece of pieces) tail.push(piece);
      const whole = pieces.join('');
      expect(tail.text()).toBe(longestEnd(whole, limitBytes));
      expect(tail.truncated).toBe(Buffer.byteLength(whole) > limitBytes);
    }),
  );
});

test('a limit of 0 keeps nothing', () => {
  const tail = new TextTail(0);
  tail.push('');
  expect(tail.truncated).toBe(false);
  tail.push('text');
  expect([tail.text(), tail.truncated]).toEqual(['', true]);
});

test('it keeps the end that fits when its memory cannot grow any more', () => {
  const tail = new TextTail(100, (_from, to) => Math.min(to, 8));
  tail.push('abcd');
  tail.push('efgh');
  expect([tail.text(), tail.truncated]).toEqual(['abcdefgh', false]);
  tail.push('ij');
  expect([tail.text(), tail.truncated]).toEqual(['cdefghij', true]);
  expect(tail.discard()).toBe(8);
  tail.push('k');
  expect(tail.text()).toBe('');
});

test('it keeps what fits of one text that is longer than its memory may become', () => {
  const tail = new TextTail(100, (_from, to) => Math.min(to, 4));
  tail.push('abcdefgh');
  expect([tail.text(), tail.truncated]).toEqual(['efgh', true]);
});

test('the last lines contain no colors, no overwritten text and no blank lines', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  expect(lastLines(lines.join('\n'))).toBe(lines.slice(-10).join('\n'));
  expect(lastLines('10%\r20%\r\x1b[1m30%\x1b[0m\r\n\n\x07done\u0000\n')).toBe('30%\ndone');
  expect(lastLines('\x1b]0;title\x07 \n')).toBe('');
  expect(lastLines('x'.repeat(5000))).toHaveLength(2001);
  const frames = Array.from({ length: 12 }, (_, index) => `    at f${index} (file.js:${index}:1)`);
  expect(lastLines(['Error: no key', ...frames, '', 'Node.js v20.0.0'].join('\n'))).toBe(
    'Error: no key\n    at f0 (file.js:0:1)\nNode.js v20.0.0',
  );
});

test('its memory can grow again after it was full', () => {
  const sizes = [4, 4, 10];
  const tail = new TextTail(100, (_from, to) => Math.min(to, sizes.shift() ?? 100));
  tail.push('abcd');
  tail.push('ef');
  expect(tail.text()).toBe('cdef');
  tail.push('ghij');
  expect(tail.text()).toBe('cdefghij');
  tail.push('klmn');
  expect(tail.text()).toBe('cdefghijklmn');
});
