import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { protocolSchema } from '../../../src/protocol/published-schema.ts';
import { conversationSchema } from '../../support/conversation-schema.ts';
import { expectGenerated, table } from './generated.ts';

const file = join(import.meta.dirname, '../../../docs/conversation.schema.json');

test('the schema of a conversation is that of the types', () => {
  const wanted = `${JSON.stringify(conversationSchema(), null, 2)}\n`;
  if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
});

test('the page about versions names the schemas that the package was checked against', () => {
  const { package: name, v1, v2 } = protocolSchema;
  const rows = Object.entries({ 1: v1, 2: v2 }).map(([version, release]) => [
    version,
    `\`${name}\``,
    release,
  ]);
  expectGenerated('docs/versions.md', 'schemas', table(['protocol version', 'package', 'release'], rows));
});
