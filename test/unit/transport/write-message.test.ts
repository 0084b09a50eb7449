import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLonger, writeMessage } from '../../../src/core/transport/message-text.ts';

const high = '\ud83d';
const low = '\ude00';

test.each([
  ['the first half at the end', `a${high}`, 'a\ufffd'],
  ['the second half at the start', `${low}b`, '\ufffdb'],
  ['halves in the wrong order', low + high, '\ufffd\ufffd'],
  ['a half before a whole character', `${high}😀`, '\ufffd😀'],
  ['a half after a backslash', `\\${high}`, '\\\ufffd'],
  ['the escape of a half as text', '\\ud83d', '\\ud83d'],
  ['the same behind two backslashes', '\\\\ud83d', '\\\\ud83d'],
  ['a quote, a line end and a half', `"\n${low}`, '"\n\ufffd'],
])('%s', (_, given, written) => {
  expect(JSON.parse(writeMessage({ text: given, [given]: [given] }))).toEqual({
    text: written,
    [written]: [written],
  });
});

test('[security: half-characters] any text of code units is written as a replacement of its halves, and whole text is not changed', () => {
  const halves = fc.string({ unit: fc.constantFrom(high, low, '\\', 'u', 'd83d', '"', 'a', '😀') });
  fc.assert(
    fc.property(halves, (text) => {
      const written = JSON.parse(writeMessage({ text })).text;
      expect(written).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
      expect(writeMessage({ written })).toBe(JSON.stringify({ written }));
    }),
  );
});

test.each(['aaa', 'é', '€', '😀', ''])('the length of %j is that of its UTF-8', (text) => {
  const bytes = Buffer.byteLength(text);
  expect([isLonger(text, bytes), isLonger(text, bytes - 1)]).toEqual([false, true]);
});
