import { expect, test } from 'vitest';
import { spawnAgent } from '../../../src/node/spawn.ts';
import { sendLongLine } from '../../support/small-heap-editor.ts';

const mebibyte = 1024 * 1024;

test('[reliability: limit-line] a line of 50 million numbers does not end an editor with a heap of 2 GB', async () => {
  const numbers = { start: '[', part: '0', end: ']' };
  const measured = await sendLongLine('rawInput', numbers, 100 * mebibyte);
  expect(measured).toMatchObject({ entries: 1, rules: [] });
  // A string for each index took 4 GB.
  expect(measured?.peakMiB).toBeLessThan(2048);
});

test('[reliability: limit-parts] a line of 40 million objects is dropped before it takes the memory', async () => {
  const objects = { start: '[', part: '{}', end: ']' };
  const measured = await sendLongLine('rawInput', objects, 127 * mebibyte);
  expect(measured).toMatchObject({ entries: 0, rules: ['transport.noise'] });
  expect(measured?.peakMiB).toBeLessThan(1024);
});

test('[reliability: limit-line] a line of an agent has at most 128 MiB if no other limit is given', async () => {
  const program = "const part = 'x'.repeat(2 ** 20); for (;;) require('node:fs').writeSync(1, part);";
  const agent = spawnAgent({ command: process.execPath, args: ['-e', program] });
  agent.listen({ onMessage() {}, onDiagnostic() {}, onActivity() {} });
  expect((await agent.ended).error).toMatchObject({
    code: 'protocol.message_too_large',
    limitBytes: 128 * mebibyte,
  });
});
