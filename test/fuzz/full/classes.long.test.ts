import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import { recordings } from '../corpus.ts';
import { foldDamage } from '../fold.ts';
import { giants, surviveGiants } from '../giants.ts';
import { damage } from '../mutations.ts';
import { pace, start, step, surviveStarts, surviveStorm } from '../storms.ts';

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const hourMs = 3600_000;

test(
  'lines of many megabytes, with long, wide and deep values, do no harm',
  async () => {
    const unhandled = unhandledErrors();
    const lines = giants(10);
    for (const line of lines) await surviveGiants([line]);
    expect(unhandled).toEqual([]);
    console.log(`${lines.length} lines of 10 MiB`);
  },
  hourMs,
);

test(
  'damaged updates are read by each dialect and folded without a connection',
  () => {
    let updates = 0;
    for (const recording of recordings) {
      const property = fc.property(
        fc.array(damage, { minLength: 100, maxLength: 400, size: 'max' }),
        (damages) => {
          updates += damages.length;
          foldDamage(recording, damages);
        },
      );
      fc.assert(property, { numRuns: 50, seed });
    }
    console.log(`seed ${seed}: ${updates} updates folded`);
  },
  hourMs,
);

test(
  'storms of requests, withdrawn or not, end with the connection',
  async () => {
    const unhandled = unhandledErrors();
    let terminals = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      pace,
      async (steps, pace) => {
        terminals += (await surviveStorm(steps, pace)).terminals;
      },
    );
    await fc.assert(property, { numRuns: 40, seed, endOnFailure: true });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 40 storms with ${terminals} terminals`);
  },
  hourMs,
);

test(
  'agents that do not start, or hang while they do, do not block connect or close',
  async () => {
    const unhandled = unhandledErrors();
    const property = fc.asyncProperty(
      fc.array(start, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 1, 5, 50, 200),
      surviveStarts,
    );
    await fc.assert(property, { numRuns: 300, seed });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 300 connections`);
  },
  hourMs,
);
