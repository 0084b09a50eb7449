import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxOpenRequests } from '../../../src/core/rpc/peer.ts';
import { bundleProgram } from '../../support/build.ts';
import { sendLongLine } from '../../support/small-heap-editor.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import { programPath } from './processes.ts';

const folder = sharedFolder();
const editorPath = join(folder, 'editor.mjs');
beforeAll(async () => {
  await bundleProgram({
    entryPoints: [programPath('memory.mjs')],
    outfile: editorPath,
  });
});

interface Growth {
  /** MiB of heap and buffers that were in use after a garbage collection. */
  readonly held: number;
  /** MiB by which the resident memory grew at the most. */
  readonly peak: number;
  /** How many handlers ran at once. */
  readonly running: number;
}

async function growthIn(scenario: string): Promise<Growth> {
  const args = ['--expose-gc', editorPath, scenario, join(folder, scenario)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  if (process.env['STORM_TIMES']) process.stderr.write(`${scenario}: ${stdout}`);
  return JSON.parse(stdout);
}

describe('the memory of an editor, in MiB', () => {
  test('[reliability: limit-unconfirmed] with 400 MiB of updates before the answer that names their session', async () => {
    const { held, peak } = await growthIn('updates');
    expect(held).toBeLessThan(64);
    expect(peak).toBeLessThan(350);
  });

  test('[reliability: limit-unread] with 960 MiB of answers that the agent does not read', async () => {
    const { held, peak } = await growthIn('answers');
    expect(held).toBeLessThan(400);
    expect(peak).toBeLessThan(800);
  });

  test('[security: request-limit] [reliability: limit-requests] with 5000 requests that were withdrawn, whose handlers go on', async () => {
    const { held, peak, running } = await growthIn('handlers');
    expect(running).toBeLessThanOrEqual(maxOpenRequests);
    expect(held).toBeLessThan(100);
    expect(peak).toBeLessThan(350);
  });

  test('with 4,000 calls of 10 KB that were given up and are never answered', async () => {
    const { held } = await growthIn('calls');
    // All of them have 38.
    expect(held).toBeLessThan(12);
  });

  test('[reliability: limit-abandoned] with 2,000 loads that were given up and are never answered', async () => {
    const { held } = await growthIn('loads');
    // It was 13 when each load kept its call, and is 3.
    expect(held).toBeLessThan(8);
  });
});

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
