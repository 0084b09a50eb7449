import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { playBit, recordedPair } from './bits.ts';

/** Only for a hang. */
const limitMs = 3_600_000;

test('each bit of a transcript that is flipped ends in no other error than a TranscriptError, and nothing else is lost', {
  timeout: limitMs,
}, async () => {
  const pair = await recordedPair(temporaryFolder());
  const directory = join(temporaryFolder(), 'flipped');
  const problems: string[] = [];
  for (let bit = 0; bit < 8 * pair.damaged.bytes.length; bit++)
    problems.push(...(await playBit(pair, bit, directory)));
  expect(problems.slice(0, 20)).toEqual([]);
});
