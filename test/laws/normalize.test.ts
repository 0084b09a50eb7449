import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSessionStore } from '../../src/conversation/store.ts';
import { dialects, versions } from '../oracle/ours.ts';
import { createConversationStore, emptyConversation } from '../support/fold-any.ts';
import { officialDefs } from '../support/official-schema.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';

/** Seen in each run, so that the law is not shown on rejected updates only. */
const leastTaken = 200;

describe.each(versions)('an update of version %i that a dialect takes', (version) => {
  const updates = fc.array(mutationsOf(instanceOf(officialDefs(version), 'SessionUpdate')), { maxLength: 8 });

  test.each(dialects[version])('passes the checks of the fold ($name)', (dialect) => {
    let taken = 0;
    fc.assert(
      fc.property(updates, (history) => {
        const checked = createConversationStore(emptyConversation('s'));
        const unchecked = createSessionStore(emptyConversation('s'));
        for (const raw of history) {
          const normalized = dialect.normalize(raw);
          if (!normalized.update) continue;
          for (const one of [normalized.update, ...(normalized.more ?? [])]) {
            checked.apply(one);
            unchecked.apply(one);
            taken++;
          }
        }
        expect(unchecked.getSnapshot()).toEqual(checked.getSnapshot());
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(leastTaken);
  });
});
