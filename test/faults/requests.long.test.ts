import { describe, expect, test } from 'vitest';
import { idKinds, postCases, streamCases } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

const transport = 'streamable-http';

describe.each([1, 2] as const)('over streamable HTTP, version %i:', (version) => {
  test('each fault at each POST', { timeout: limitMs }, async () => {
    const { counts, problems } = await sweep({ transport, version, cases: postCases, recoveries: 'each' });
    expect(problems).toEqual([]);
    expect(counts.unchanged).toBeGreaterThan(20);
    expect(counts.gap).toBeGreaterThan(10);
    expect(counts.ended).toBeGreaterThan(20);
  });

  test.each(idKinds)('each fault at each GET of a stream %s', { timeout: limitMs }, async (ids) => {
    const cases = streamCases(ids);
    const { counts, problems } = await sweep({ transport, version, cases, recoveries: 'each' });
    expect(problems).toEqual([]);
    expect(counts.unchanged).toBeGreaterThan(3);
  });
});
