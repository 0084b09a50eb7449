import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { positionOf } from '../../../src/core/conversation/utf8.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';

/** Output in which no part repeats, longer than what is kept. */
const output = Buffer.from(Array.from({ length: 280_000 }, (_, line) => `line ${line}\n`).join(''));

/** The text of bytes that may end within a character. */
const textOf = (bytes: Uint8Array) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });

const chunk = (bytes: Uint8Array, terminalId = 't1'): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId,
  data: Buffer.from(bytes).toString('base64'),
});

function cutInto(bytes: Buffer, lengths: readonly number[]): readonly AnyUpdate[] {
  const chunks: AnyUpdate[] = [];
  for (let start = 0, count = 0; start < bytes.length; count++) {
    const length = lengths[count % lengths.length] ?? 1;
    chunks.push(chunk(bytes.subarray(start, start + length)));
    start += length;
  }
  return chunks;
}

const unit = 64 * 1024;

test.each<[string, Buffer, number]>([
  ['as long as the limit', output.subarray(0, maxTerminalBytes), 0],
  ['a byte longer', output.subarray(0, maxTerminalBytes + 1), unit],
  ['a unit longer', output.subarray(0, maxTerminalBytes + unit), unit],
  ['a unit and a byte longer', output.subarray(0, maxTerminalBytes + unit + 1), 2 * unit],
  ['twice as long', output.subarray(0, 2 * maxTerminalBytes), maxTerminalBytes],
  ['longer', output, Math.ceil((output.length - maxTerminalBytes) / unit) * unit],
  ['of characters of two bytes', Buffer.from(`a${'é'.repeat(maxTerminalBytes / 2)}`), unit + 1],
  ['of characters of three bytes', Buffer.from('€'.repeat(maxTerminalBytes / 3 + 1)), unit + 2],
  ['of characters of four bytes', Buffer.from(`a${'🎉'.repeat(maxTerminalBytes / 4)}`), unit + 1],
])(
  '[reliability: limit-shown-output] the end of output is kept, whatever its chunks and the snapshots: %s',
  (_, printed, droppedBytes) => {
    const kept = textOf(printed.subarray(droppedBytes));
    for (const lengths of [[printed.length], [unit - 1], [300_000, 5], [maxTerminalBytes, 1]]) {
      const updates = cutInto(printed, lengths);
      const stepwise = updates.reduce((all, update) => foldUpdate(all, update), emptyConversation('s1'));
      for (const { terminals } of [foldUpdates(emptyConversation('s1'), updates), stepwise]) {
        const shown = terminals['t1']?.output;
        expect([terminals['t1']?.droppedBytes, shown?.length, shown === kept]).toEqual([
          droppedBytes,
          kept.length,
          true,
        ]);
      }
    }
  },
);

test.each([0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff])(
  'a place in a text is behind the character that has the byte: %i',
  (code) => {
    const character = String.fromCodePoint(code);
    const bytes = Buffer.byteLength(character);
    const text = `${character}b`;
    const behind = { index: character.length, bytes };
    expect([0, 1, bytes, bytes + 1, bytes + 9].map((target) => positionOf(text, target))).toEqual([
      { index: 0, bytes: 0 },
      behind,
      behind,
      ...Array.from({ length: 2 }, () => ({ index: text.length, bytes: bytes + 1 })),
    ]);
  },
);

/** Bytes in which characters are whole, cut off or wrong. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'é', '€', '😀', '\ufeff').map((character) => [...Buffer.from(character)]),
      fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0xc0], [0xe0, 0x80], [0xf4, 0x90]),
      fc.constantFrom([0xf0, 0x80], [0x80], [0xff], [0xf5, 0x80], [0xc3]),
      fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.from(pieces.flat()));

test('output is the text of its bytes, wherever they are cut, and what is not complete is kept', () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), (bytes, lengths) => {
      const { terminals } = foldUpdates(emptyConversation('s1'), [
        { sessionUpdate: 'terminal_update', terminalId: 't1' },
        ...cutInto(bytes, lengths),
      ]);
      const { output: shown = '', incompleteBytes = [] } = terminals['t1'] ?? {};
      expect(shown).toBe(textOf(bytes));
      expect(incompleteBytes).toEqual([...bytes.subarray(bytes.length - incompleteBytes.length)]);
      const rest = new TextDecoder().decode(Uint8Array.from(incompleteBytes));
      expect(shown + rest).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const again = foldUpdate(emptyConversation('s1'), {
        sessionUpdate: 'terminal_update',
        terminalId: 't1',
        output: { data: bytes.toString('base64') },
      });
      expect(again.terminals).toEqual(terminals);
    }),
    { numRuns: runs(1000) },
  );
});

const started = (terminalId: string): AnyUpdate => ({
  sessionUpdate: 'terminal_started',
  terminalId,
  command: 'make',
  argv: null,
  cwd: null,
});
const printed = (terminalId: string, text: string): AnyUpdate => ({
  sessionUpdate: 'terminal_printed',
  terminalId,
  text,
});
const read = (said: string): AnyUpdate => ({
  sessionUpdate: 'terminal_read',
  terminalId: 't1',
  output: said,
  truncated: false,
});

describe('a terminal of the client', () => {
  const exited = (terminalId: string): AnyUpdate => ({
    sessionUpdate: 'terminal_exited',
    terminalId,
    exitStatus: { exitCode: 0, signal: null },
  });

  test('keeps the end of an output that is read whole each time', () => {
    const whole = output.toString().slice(0, 3 * maxTerminalBytes);
    let conversation = foldUpdate(emptyConversation('s1'), started('t1'));
    for (let length = 500_000; length <= whole.length; length += 500_000) {
      const text = whole.slice(0, length);
      conversation = foldUpdate(conversation, read(text));
      const { output: shown = '', droppedBytes = 0 } = conversation.terminals['t1'] ?? {};
      expect(shown.length).toBeLessThanOrEqual(maxTerminalBytes);
      expect(text.slice(droppedBytes)).toBe(shown);
    }
  });

  test('[reliability: limit-client-output] the oldest output of ended commands is dropped when another one starts', () => {
    const full = 'x'.repeat(maxTerminalBytes);
    const ofAgent = chunk(Buffer.from(full), 'agent');
    let conversation = foldUpdates(emptyConversation('s1'), [
      ofAgent,
      { sessionUpdate: 'terminal_update', terminalId: 'agent', exitStatus: { exitCode: 0, signal: null } },
      started('runs'),
      printed('runs', full),
    ]);
    for (let n = 0; n < 66; n++) {
      conversation = foldUpdates(conversation, [started(`t${n}`), printed(`t${n}`, full), exited(`t${n}`)]);
    }
    const { terminals } = conversation;
    const kept = Object.values(terminals).filter(({ output: shown }) => shown !== '');
    expect(kept.map(({ terminalId }) => terminalId).slice(0, 3)).toEqual(['agent', 'runs', 't2']);
    expect(kept).toHaveLength(66);
    expect(terminals['t0']).toMatchObject({
      command: 'make',
      droppedBytes: maxTerminalBytes,
      exitStatus: {},
    });
  });
});

describe.each([
  ['Node', Buffer],
  ['a browser, which has no Buffer', undefined],
])('base64 in %s', (_, buffer) => {
  async function decoder() {
    vi.stubGlobal('Buffer', buffer);
    vi.resetModules();
    const { decodeBase64 } = await import('../../../src/core/conversation/base64.ts');
    vi.unstubAllGlobals();
    return (data: unknown) => {
      vi.stubGlobal('Buffer', buffer);
      const bytes = decodeBase64(data);
      vi.unstubAllGlobals();
      return bytes;
    };
  }

  test('has each byte, with and without padding', async () => {
    const decode = await decoder();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const data = Buffer.from(bytes).toString('base64');
        const decoded = (base64: string) => [...(decode(base64) ?? [])];
        expect(decoded(data)).toEqual([...bytes]);
        expect(decoded(data.replace(/=+$/, ''))).toEqual([...bytes]);
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
    ['a hyphen', 'QUJ-'],
    ['an underscore', '_UJD'],
    ['another letter', 'QUJÄ'],
    ['a number', 7],
  ])('is undefined for %s', async (_, data) => {
    expect((await decoder())(data)).toBeUndefined();
  });
});
