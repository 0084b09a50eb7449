import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runs } from '../support/runs.ts';
import { anyCase, type Case, playWindows } from './transcript-windows.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const open = (window: number, way: 'load' | 'reopen' | 'resume') => ({ do: 'open', window, way }) as const;
const say = (window: number) => ({ do: 'say', window, text: 'Continue.', hasCall: false }) as const;
const end = (window: number) => ({ do: 'end', window }) as const;
const first = { dialect: 'v1', ids: 'none', isReadOnly: false } as const;
const examples: [Case][] = [
  // A record that takes over an earlier one stands at the place of that one.
  [
    {
      ...first,
      earlier: 0,
      steps: [
        ...[open(1, 'load'), say(1), open(0, 'resume'), say(0), end(1)],
        ...[open(1, 'resume'), say(1), end(1), say(0)],
      ],
    },
  ],
  // What the user says is not what was there before, in a replay or in a record that took a replay over.
  [{ ...first, earlier: 1, steps: [open(0, 'load'), open(1, 'resume'), say(1)] }],
  [
    {
      ...first,
      earlier: 1,
      steps: [open(0, 'load'), open(1, 'reopen'), end(0), end(1), open(2, 'resume'), say(2)],
    },
  ],
];

test('a session in several windows that open, end, are killed and load it again has each entry once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (each) => {
      expect(await playWindows(each)).toEqual([]);
    }),
    { numRuns: runs(60), examples },
  );
});
