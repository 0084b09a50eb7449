import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64 } from '../../../src/core/conversation/base64.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { maxClientOutputBytes } from '../../../src/core/conversation/terminal-list.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';

/** Output in which no part repeats, longer than what is kept. */
const output = Buffer.from(Array.from({ length: 280_000 }, (_, line) => `line ${line}\n`).join(''));

/** The same with characters of one to four bytes. */
const international = Buffer.from(
  Array.from({ length: 130_000 }, (_, line) => `${line} é✓🎉${'🎉'.repeat(line % 3)}\n`).join(''),
);

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

test.each([
  ['ASCII', output],
  ['characters of several bytes', international],
])(
  '[reliability: limit-shown-output] the end of long output is kept, independent of its chunks and of snapshots: %s',
  (_, all) => {
    const lengths = fc.array(fc.integer({ min: 5_000, max: 300_000 }), { minLength: 1, maxLength: 8 });
    const total = fc.integer({ min: maxTerminalBytes - 2, max: all.length });
    fc.assert(
      fc.property(total, lengths, fc.integer({ min: 1, max: 50 }), (length, pieces, lookEvery) => {
        const printed = all.subarray(0, length);
        const whole = foldUpdate(emptyConversation('s1'), chunk(printed)).terminals['t1'];
        const updates = cutInto(printed, pieces);
        expect(foldUpdates(emptyConversation('s1'), updates).terminals['t1']).toEqual(whole);
        let conversation = emptyConversation('s1');
        for (let start = 0; start < updates.length; start += lookEvery) {
          conversation = foldUpdates(conversation, updates.slice(start, start + lookEvery));
        }
        expect(conversation.terminals['t1']).toEqual(whole);
        const keptBytes = Buffer.byteLength(whole?.output ?? '');
        expect(keptBytes).toBeLessThanOrEqual(maxTerminalBytes);
        expect(keptBytes).toBeGreaterThan(Math.min(length - 3, maxTerminalBytes * 0.9) - 1);
        expect(whole?.output).toBe(textOf(printed.subarray(whole?.droppedBytes)));
      }),
      { numRuns: 8 },
    );
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

test('the end of a command that is reported again, with its output, changes nothing', () => {
  const ended: AnyUpdate = {
    ...{ sessionUpdate: 'terminal_update', terminalId: 't1', command: 'make' },
    exitStatus: { exitCode: 0, signal: null },
  };
  const whole: AnyUpdate = { sessionUpdate: 'terminal_output_reported', terminalId: 't1', data: btoa('all') };
  for (const printed of [Buffer.from('built'), Buffer.from([0xe2])]) {
    const before = foldUpdates(emptyConversation('s1'), [
      { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Make', status: 'completed' },
      chunk(printed),
      ended,
    ]);
    expect(foldUpdates(before, [ended, whole]).terminals).toEqual(before.terminals);
  }
});

const call = (toolCallId: string, status: string): AnyUpdate => ({
  ...{ sessionUpdate: 'tool_call', toolCallId, title: 'Make', status },
  content: [{ type: 'terminal', terminalId: 't1' }],
});
const begun: AnyUpdate = { sessionUpdate: 'terminal_update', terminalId: 't1', command: 'make' };
const unknown = { exitCode: null, signal: null };
const over = [begun, call('a', 'in_progress'), call('a', 'completed')];

test.each<readonly [string, object | null, readonly AnyUpdate[]]>([
  ['a call that runs', null, [begun, call('a', 'in_progress')]],
  ['a call that ends', unknown, over],
  [
    'a call that is cancelled',
    unknown,
    [begun, call('a', 'pending'), { sessionUpdate: 'unfinished_cancelled' }],
  ],
  ['two calls of which one ends', null, [begun, call('b', 'pending'), ...over]],
  ['a replayed call', unknown, [begun, call('a', 'failed')]],
  ['a replayed call before it', unknown, [call('t1', 'completed'), chunk(Buffer.from('ok'))]],
  ['a later end', { exitCode: 1 }, [...over, { ...begun, exitStatus: { exitCode: 1 } }]],
  ['a command that goes on', null, [...over, { ...begun, exitStatus: null }, call('a', 'completed')]],
])('a terminal of the agent ends with its calls, until the agent says more: %s', (_, expected, updates) => {
  const { terminals } = foldUpdates(emptyConversation('s1'), updates);
  expect(terminals['t1']?.exitStatus).toEqual(expected);
});

describe('a terminal of the client', () => {
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
  const read = (output: string): AnyUpdate => ({
    sessionUpdate: 'terminal_read',
    terminalId: 't1',
    output,
    truncated: false,
  });
  const exited = (terminalId: string): AnyUpdate => ({
    sessionUpdate: 'terminal_exited',
    terminalId,
    exitStatus: { exitCode: 0, signal: null },
  });

  test('has its output as UTF-8, like a terminal of the agent', () => {
    const text = 'naïve ✓ 🎉 \ud800\n';
    const { terminals } = foldUpdates(emptyConversation('s1'), [
      started('t1'),
      printed('t1', text),
      chunk(Buffer.from(text), 't2'),
    ]);
    expect(terminals['t1']?.output).toBe(terminals['t2']?.output);
  });

  test('has the output that was read last, where it does not continue the one before', () => {
    const conversation = foldUpdates(emptyConversation('s1'), [started('t1'), read('10 %'), read('20 % é')]);
    expect(conversation.terminals['t1']).toMatchObject({ output: '20 % é', droppedBytes: 0 });
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

  test('is not in the conversation before it started', () => {
    const updates = [printed('t1', 'x'), exited('t1')];
    expect(foldUpdates(emptyConversation('s1'), updates).terminals).toEqual({});
  });

  test('[reliability: limit-client-output] the oldest output of ended commands is dropped when another one starts', () => {
    const full = 'x'.repeat(maxTerminalBytes);
    const count = maxClientOutputBytes / maxTerminalBytes + 2;
    let conversation = foldUpdates(emptyConversation('s1'), [started('runs'), printed('runs', full)]);
    for (let n = 0; n < count; n++) {
      conversation = foldUpdates(conversation, [started(`t${n}`), printed(`t${n}`, full), exited(`t${n}`)]);
    }
    const { terminals } = conversation;
    const kept = Object.values(terminals).filter(({ output: shown }) => shown !== '');
    expect(kept.map(({ terminalId }) => terminalId).slice(0, 2)).toEqual(['runs', 't2']);
    expect(kept).toHaveLength(maxClientOutputBytes / maxTerminalBytes + 1);
    expect(terminals['t0']).toMatchObject({
      command: 'make',
      droppedBytes: maxTerminalBytes,
      exitStatus: {},
    });
  });
});

test('decodes every byte, with and without padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const data = Buffer.from(bytes).toString('base64');
      const decoded = (base64: string) => [...(decodeBase64(base64) ?? [])];
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
  ['the alphabet for URLs', '-_-_'],
  ['another letter', 'QUJÄ'],
  ['a number', 7],
])('returns undefined for %s', (_, data) => {
  expect(decodeBase64(data)).toBeUndefined();
});
