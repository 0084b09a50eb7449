import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64 } from '../../../src/conversation/base64.ts';

test('decodes every byte, with and without padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const data = Buffer.from(bytes).toString('base64');
      const text = String.fromCharCode(...bytes);
      expect(decodeBase64(data)).toBe(text);
      expect(decodeBase64(data.replace(/=+$/, ''))).toBe(text);
    }),
  );
});

test.each([
  ['a single digit', 'A'],
  ['one digit too many', 'AAAAA'],
  ['a space', 'QU JD'],
  ['a line feed', 'QUJD\n'],
  ['padding in the middle', 'QQ==QQ=='],
  ['padding alone', '==='],
  ['the alphabet for URLs', '-_-_'],
  ['another letter', 'QUJÄ'],
  ['a number', 7],
])('returns undefined for %s', (_, data) => {
  expect(decodeBase64(data)).toBeUndefined();
});
