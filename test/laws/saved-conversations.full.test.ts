import { expect, test } from 'vitest';
import { conversationsOf } from '../support/recorded-conversations.ts';
import { recordings } from '../support/recorded-turns.ts';
import { expectSaved } from './saved-conversations.ts';

test('the conversations of all recordings fit the schema, and are imported as they were', async () => {
  let count = 0;
  for (const [recording, texts] of recordings) {
    for (const conversation of await conversationsOf(texts)) {
      expectSaved(conversation, recording);
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});
