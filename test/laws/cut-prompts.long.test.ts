import fc from 'fast-check';
import { test } from 'vitest';
import type { TransportName } from '../support/transports/names.ts';
import { anyCase, type Case, checkPrompts } from './cut-prompts.ts';

/** 1,000 cases. Most are over the way that takes no time. */
const cases: readonly [TransportName, number][] = [
  ['memory', 880],
  ['websocket', 90],
  ['streamable-http', 20],
  ['stdio', 10],
];

test.each(cases)(
  '[reliability: cut-prompts] over %s, each of %i prompts that are cut runs at most once, and exactly once with a key',
  async (transport, numRuns) => {
    const check = (play: Case) => checkPrompts(transport, play);
    await fc.assert(fc.asyncProperty(anyCase, check), { numRuns });
  },
);
