import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../src/core/base/json.ts';
import { parseMessage } from '../../../src/core/transport/parse-message.ts';
import { dialects, versions } from '../../oracle/ours.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { type LongValue, type Place, places, sendLongLine } from '../../support/small-heap-editor.ts';
import { type Recording, recordings } from '../corpus.ts';
import { bytesOf, type Damage, damage } from '../mutations.ts';
import { type Survival, survive } from '../survive.ts';

// The first seed is random unless FC_SEED is set. A failure prints the seed that repeats it.
const wantedLines = Number(process.env['FUZZ_LINES'] ?? 1_000_000);
const firstSeed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);

/** How much memory may have been kept after so many connections, in bytes. */
const maxGrowth = 32 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test(`damaged traffic does no harm, ${wantedLines} lines of it`, async () => {
  const sum: Record<keyof Survival, number> = { lines: 0, bytes: 0, diagnostics: 0, entries: 0 };
  const startedAt = performance.now();
  let seed = firstSeed;
  let heapBefore = 0;
  for (let round = 0; sum.lines < wantedLines; round++) {
    for (const recording of recordings) {
      const property = fc.asyncProperty(
        fc.array(damage, { minLength: 500, maxLength: 1000, size: 'max' }),
        async (damages) => {
          const survival = await survive(recording, damages);
          for (const key of Object.keys(sum) as (keyof Survival)[]) sum[key] += survival[key];
        },
      );
      await fc.assert(property, { numRuns: 10, seed: seed++ });
    }
    const heap = heapInUse();
    // The first round warms up: code is compiled, tables are filled.
    if (round === 0) heapBefore = heap;
    else expect(heap - heapBefore).toBeLessThan(maxGrowth);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const growth = (heapInUse() - heapBefore) / 2 ** 20;
  console.log(
    `seeds ${firstSeed} to ${seed - 1}: ${sum.lines} lines, ${(sum.bytes / 2 ** 20).toFixed(0)} MiB, ` +
      `${sum.diagnostics} diagnostics told, ${sum.entries} entries folded, ` +
      `${seconds.toFixed(0)} s, heap ${growth.toFixed(1)} MiB more than after the first round`,
  );
}, 3600_000);

const decoder = new TextDecoder();
const everyDialect = versions.flatMap((version) => dialects[version]);

/**
 * Folds what the dialects take of damaged updates. Fails if one throws, or if the conversation is no longer
 * plain data whose entries have different keys.
 */
function foldDamage(recording: Recording, damages: readonly Damage[]): void {
  let conversation = emptyConversation('s1');
  for (const item of damages) {
    const raw = updateIn(decoder.decode(bytesOf(item, recording)));
    for (const dialect of everyDialect) {
      const { update, more = [] } = { more: [], ...dialect.normalize(raw) };
      if (update) conversation = foldUpdates(conversation, [update, ...more]);
    }
  }
  const copy = JSON.parse(JSON.stringify(conversation));
  expect(copy).toEqual(conversation);
  const keys = conversation.entries.map(({ key }) => key);
  expect(keys.filter((key) => typeof key !== 'string')).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
  for (const entry of conversation.entries) {
    if (entry.kind === 'message')
      expect(entry.messageId === null || typeof entry.messageId === 'string').toBe(true);
  }
}

/** The update in a line, or what stands in its place. */
function updateIn(line: string): unknown {
  const message: unknown = parseMessage(line);
  const params = isJsonObject(message) ? message['params'] : message;
  return isJsonObject(params) && 'update' in params ? params['update'] : params;
}

test('damaged updates are read by each dialect and folded without a connection', () => {
  let updates = 0;
  for (const recording of recordings) {
    const property = fc.property(
      fc.array(damage, { minLength: 100, maxLength: 400, size: 'max' }),
      (damages) => {
        updates += damages.length;
        foldDamage(recording, damages);
      },
    );
    fc.assert(property, { numRuns: 50, seed: firstSeed });
  }
  console.log(`seed ${firstSeed}: ${updates} updates folded`);
}, 3600_000);

/** The longest line that is allowed, in bytes. FUZZ_LINE_MIB sets another length. */
const lineBytes = Number(process.env['FUZZ_LINE_MIB'] ?? 128) * 1024 * 1024;

/** The limits for each line: CPU time of all threads in milliseconds, and resident memory in MiB. */
const maxCpuMs = 60_000;
const maxPeakMiB = 3072;

/** Each value with as many parts as fit into the line. The parts that count have a limit of their own. */
const values: Readonly<Record<string, LongValue>> = {
  numbers: { start: '[', part: '0', end: ']' },
  'numbers with a fraction': { start: '[', part: '1.5', end: ']' },
  'numbers and null': { start: '[null,', part: '1.5', end: ']' },
  'one text': { start: '"', part: 'some words\\n'.repeat(100), end: '"' },
  'a text of escapes': { start: '"', part: '\\"\\u00e9'.repeat(100), end: '"' },
  'a text of JSON': { start: '"{\\"a\\":[', part: '{}', end: ']}"' },
  'short texts': { start: '[', part: (index) => `"${index.toString(36)}"`, end: ']' },
  'long texts': { start: '[', part: (index) => `"${`${index} `.repeat(20)}"`, end: ']' },
  'short keys': { start: '{', part: (index) => `"${index.toString(36)}":0`, end: '}' },
  'long keys': { start: '{', part: (index) => `"${`${index} `.repeat(9)}":0`, end: '}' },
  'empty objects': { start: '[', part: '{}', end: ']' },
  'objects with numbers': { start: '[', part: `{"a":[0${',0'.repeat(128)}]}`, end: ']' },
  'empty arrays': { start: '[', part: '[]', end: ']' },
  'deep arrays': { start: '[', part: `${'['.repeat(400)}${']'.repeat(400)}`, end: ']' },
};

const cases = Object.keys(places).flatMap((place) =>
  Object.entries(values).map(([name, value]) => ({ place: place as Place, name, value })),
);

test.each(cases)(
  'a line of $name in $place does not end an editor with a heap of 2 GB',
  async ({ place, name, value }) => {
    const measured = await sendLongLine(place, value, lineBytes);
    console.log(
      `${place}, ${name}: ${measured ? `${measured.cpuMs} ms of CPU, ${measured.peakMiB} MiB, ${measured.rules}` : 'ended'}`,
    );
    expect(measured).toBeDefined();
    expect(measured?.cpuMs).toBeLessThan(maxCpuMs);
    expect(measured?.peakMiB).toBeLessThan(maxPeakMiB);
  },
  600_000,
);
