import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64 } from '../../../src/core/conversation/base64.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { positionOf } from '../../../src/core/conversation/utf8.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';
import { repeats } from '../../support/updates.ts';

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
const shows = (terminalId: string) => ({ type: 'terminal', terminalId });
const other = { type: '_x', terminalId: 't1' };
const made = (status: string, ...content: object[]) =>
  ({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Make', status, content }) as AnyUpdate;
const again = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Again' } as AnyUpdate;
const one = chunk(Buffer.from('one'));
const ended = { ...begun, command: null, exitStatus: { exitCode: 1, signal: null } };
const first = [made('completed', shows('t1'), shows('w1'), other), one];

test.each<[string, readonly AnyUpdate[], object, string[]]>([
  ['by a call', [...first, again], { t1: '', 'tool:t1': 'one' }, ['tool:t1', 'w1', 't1']],
  ['by a command', [...first, begun], { t1: '', 'tool:t1': 'one' }, ['tool:t1', 'w1', 't1']],
  ['by the same command', [...first, { ...begun, command: null }], { t1: 'one' }, ['t1', 'w1', 't1']],
  [
    'by a command that has ended',
    [...first, { ...ended, command: 'make' }],
    { t1: 'one' },
    ['t1', 'w1', 't1'],
  ],
  ['by a command, without a call', [one, ended, begun], { t1: 'one' }, []],
  [
    'by a third call',
    [
      ...first,
      again,
      { ...again, status: 'completed' } as AnyUpdate,
      chunk(Buffer.from('two')),
      made('pending'),
    ],
    { t1: '', 'tool:t1': 'one', 'tool#2:t1': 'two' },
    ['tool:t1', 'w1', 't1'],
  ],
  [
    'after a call that goes on',
    [made('in_progress', shows('t1')), one, repeats('Go.'), again],
    { t1: 'one' },
    ['t1'],
  ],
  ['after a silent command', [made('completed'), begun, again], { t1: '' }, []],
  ['after a silent command that has ended', [made('completed'), ended, again], { t1: '', 'tool:t1': '' }, []],
  ['after a command that goes on', [made('completed'), one, again], { t1: '', 'tool:t1': 'one' }, []],
  [
    'after a command of the client',
    [made('completed', shows('t1')), started('t1'), printed('t1', 'one'), again],
    { t1: 'one' },
    ['t1'],
  ],
])('what a call shows stays when its terminal is used again %s', (_, updates, outputs, shown) => {
  const { terminals, entries } = foldUpdates(emptyConversation('s1'), updates);
  expect(Object.fromEntries(Object.entries(terminals).map(([id, each]) => [id, each.output]))).toEqual(
    outputs,
  );
  const [entry] = entries;
  const content = entry?.kind === 'toolCall' ? entry.content : [];
  expect(content.map((item) => 'terminalId' in item && item.terminalId)).toEqual(shown);
});

const cutOff = chunk(Buffer.from([97, 0xe2]));
const sends = (data: string | null) => ({ ...begun, output: data === null ? null : { data } }) as AnyUpdate;
const reported = (said: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_reported',
  terminalId: 't1',
  data: btoa(said),
});
const read = (said: string, truncated = false): AnyUpdate => ({
  sessionUpdate: 'terminal_read',
  terminalId: 't1',
  output: said,
  truncated,
});
const prints = [started('t1'), printed('t1', 'abcdé')];
const isRead = [...prints, read('é', true)];

test.each<[string, readonly AnyUpdate[], string, number, number[]?]>([
  ['that the agent removes', [cutOff, sends(null)], '', 0],
  ['that the agent replaces', [cutOff, sends(btoa('b\xe2\x80'))], 'b', 0, [0xe2, 0x80]],
  ['that is no base64', [cutOff, sends('!'), { ...cutOff, data: '!' } as AnyUpdate], 'a', 0, [0xe2]],
  ['that was reported at the end', [begun, reported('all')], 'all', 0],
  [
    'of the client, of which the agent speaks',
    [started('t1'), sends(btoa('a')), cutOff, reported('b')],
    '',
    0,
  ],
  ['of the agent, of which the client speaks', [one, printed('t1', 'a'), read('a')], 'one', 0],
  ['that goes on', [...prints, read('abcdéf')], 'abcdéf', 0],
  ['of which the end is left', isRead, 'é', 4],
  ['of which more was printed than is known', [...prints, read('xyzabcdé', true)], 'xyzabcdé', 1],
  ['of which less is left', [...isRead, printed('t1', 'f'), read('f', true)], 'f', 6],
  ['that goes on where its end is left', [...isRead, read('abcdéf')], 'éf', 4],
  ['that is another one', [...isRead, read('vwxyzf')], 'vwxyzf', 0],
  [
    'with half a character',
    [started('t1'), printed('t1', 'a\ud83d'), read('a\ufffd\udca9')],
    'a\ufffd\ufffd',
    0,
  ],
])('a terminal has the output %s', (_, updates, output, droppedBytes, incompleteBytes) => {
  const { terminals } = foldUpdates(emptyConversation('s1'), updates);
  const { t1: terminal } = terminals;
  expect([terminal?.output, terminal?.droppedBytes, terminal?.incompleteBytes]).toEqual([
    output,
    droppedBytes,
    incompleteBytes,
  ]);
});

describe('a terminal of the client', () => {
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
    const ofAgent = chunk(Buffer.from(full), 'agent');
    let conversation = foldUpdates(emptyConversation('s1'), [
      ofAgent,
      { ...ended, terminalId: 'agent' },
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
