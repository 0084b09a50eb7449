import { expect, test } from 'vitest';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { sendLongLine } from '../../support/small-heap-editor.ts';

const mebibyte = 1024 * 1024;

test('[reliability: limit-line] a line of 6 million numbers does not end an editor with a heap of 256 MB', async () => {
  const numbers = { start: '[', part: '0', end: ']' };
  const measured = await sendLongLine('rawInput', numbers, 12 * mebibyte, { heapMiB: 256 });
  // A string for each index takes 500 MB.
  expect(measured).toMatchObject({ entries: 1, rules: [] });
});

test('[reliability: limit-parts] a line of 5 million objects is dropped before it takes the memory', async () => {
  const objects = { start: '[', part: '{}', end: ']' };
  const measured = await sendLongLine('rawInput', objects, 16 * mebibyte, { heapMiB: 128 });
  // The objects take 300 MB.
  expect(measured).toMatchObject({ entries: 0, rules: ['transport.noise'] });
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
