import { expect, test } from 'vitest';
import { casesOf, oneOf } from '../../support/faults/cases.ts';
import { sweep } from '../../support/faults/sweep.ts';

/** One of so many cases is played here. The long tests play more, over each transport and in both versions. */
const sampled = 97;

test('[reliability: any-fault] over streamable HTTP a fault loses and doubles nothing without saying so', async () => {
  const cases = oneOf(sampled, casesOf['streamable-http']);
  const { counts, problems } = await sweep({
    transport: 'streamable-http',
    version: 1,
    cases,
    recoveries: 'in turns',
  });
  expect(problems).toEqual([]);
  expect(counts.unchanged).toBeGreaterThan(0);
  expect(counts.gap + counts.ended).toBeGreaterThan(0);
});
