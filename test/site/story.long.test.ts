import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { textOf } from '../../src/entries/conversation.ts';
import { foldTraffic } from '../../src/entries/testing.ts';
import { leapDay } from '../../src/programs/demo/stories/leap-day.ts';
import { recordStory } from './story.ts';

const file = join(import.meta.dirname, 'story.ndjson.br');

/** The texts of a conversation, without those of tools. */
async function textsOf(recording: string) {
  const { sessions } = await foldTraffic(recording);
  const entries = sessions.flatMap(({ conversation }) => conversation.entries);
  return entries.flatMap((entry) => (entry.kind === 'message' ? [textOf(entry)] : []));
}

test('the recorded story is the one that is told now', { timeout: 120_000 }, async () => {
  const told = await recordStory();
  if (process.env['UPDATE_DOCS']) writeFileSync(file, brotliCompressSync(told));
  const recording = brotliDecompressSync(readFileSync(file)).toString();
  const texts = await textsOf(recording);
  expect(texts).toEqual(await textsOf(told));
  const messages = leapDay.steps.flatMap((step) => ('content' in step ? [step.content] : []));
  expect(texts).toHaveLength(messages.length);
  expect(readFileSync(file).length).toBeLessThan(20_000);
  const times = recording
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t as number);
  // It plays at a pace at which it can be read.
  expect(times.at(-1)).toBeGreaterThan(15_000);
});
