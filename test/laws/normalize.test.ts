import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/core/conversation/settings.ts';
import { renderText } from '../../src/core/render/text.ts';
import { dialects, versions } from '../oracle/ours.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { officialDefs } from '../support/official-schema.ts';
import { runs } from '../support/runs.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { conversationIssues } from './saved-conversations.ts';

/** The fold checks no fields, so the dialect must. Seen in each run, so that the law is not shown on rejected updates only. */
const leastTaken = 60;

describe.each(versions)('an update of version %i that a dialect takes', (version) => {
  const updates = fc.array(mutationsOf(instanceOf(officialDefs(version), 'SessionUpdate')), { maxLength: 8 });

  test.each(dialects[version])('gives a valid conversation ($name)', (dialect) => {
    let taken = 0;
    fc.assert(
      fc.property(updates, (history) => {
        const updates = history.flatMap((raw) => {
          const { update, more = [] } = { more: [], ...dialect.normalize(raw) };
          return update ? [update, ...more] : [];
        });
        taken += updates.length;
        const conversation = foldUpdates(emptyConversation('s'), updates);
        expect(conversationIssues(conversation)).toEqual([]);
        settingsOf(conversation);
        renderText(conversation);
      }),
      { numRuns: runs(300) },
    );
    expect(taken).toBeGreaterThan(leastTaken);
  });
});
