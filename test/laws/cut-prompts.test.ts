import fc from 'fast-check';
import { test } from 'vitest';
import { anyCase, type Case, checkPrompts } from './cut-prompts.ts';

/** A sample of the long test, over the ways that take no time. */
test.each(['memory', 'websocket'] as const)(
  '[reliability: cut-prompts] over %s, a prompt that is cut runs at most once, and exactly once with a key',
  async (transport) => {
    const check = (play: Case) => checkPrompts(transport, play);
    await fc.assert(fc.asyncProperty(anyCase, check), { numRuns: 25 });
  },
);
