import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordings } from '../corpus.ts';
import { damage } from '../mutations.ts';
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
