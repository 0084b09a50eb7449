import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conversationSchema } from '../../support/conversation-schema.ts';

const file = join(import.meta.dirname, '../../../docs/conversation.schema.json');

test('the schema of a conversation is that of the types', () => {
  const wanted = `${JSON.stringify(conversationSchema(), null, 2)}\n`;
  if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
});
