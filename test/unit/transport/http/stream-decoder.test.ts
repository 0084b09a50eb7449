import fc from 'fast-check';
import { expect, test } from 'vitest';
import { streamDecoder } from '../../../../src/transport/http/stream-decoder.ts';

const decodeInPieces = (bytes: Uint8Array, cuts: readonly number[]) => {
  const decode = streamDecoder();
  const ends = [...cuts].sort((a, b) => a - b);
  return [...ends, bytes.length]
    .map((end, index) => decode(bytes.subarray(ends[index - 1] ?? 0, end)))
    .join('');
};

test.each(['plain', 'häuser 家 👩‍💻 ende', '\uFEFFdata: 家\n\n', 'a\uFEFFb'])(
  'text cut at each place decodes as it does whole: %j',
  (text) => {
    const bytes = new TextEncoder().encode(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(decodeInPieces(bytes, [cut])).toBe(new TextDecoder().decode(bytes));
    }
  },
);

test('any bytes, cut anywhere, decode as TextDecoder does it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 5 }), (bytes, cuts) => {
      const ended = Uint8Array.from([...bytes, 0x0a]);
      const inside = cuts.map((cut) => Math.min(cut, ended.length));
      expect(decodeInPieces(ended, inside)).toBe(new TextDecoder().decode(ended));
    }),
    { numRuns: 2000 },
  );
});
