import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { protocolSchema } from '../../../src/protocol/published-schema.ts';
import { isHere } from '../../oracle/known-parts.ts';
import { type Part, parts } from '../../schema/parts.mjs';
import { conversationSchema } from '../../support/conversation-schema.ts';
import { expectGenerated, table } from './generated.ts';

const file = join(import.meta.dirname, '../../../docs/conversation.schema.json');

test('the schema of a conversation is that of the types', () => {
  const wanted = `${JSON.stringify(conversationSchema())}\n`;
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

test('the page about versions has the parts of the protocol that came after its core', () => {
  const rows = parts.map((part) => [
    part.title,
    part.since[1] ?? '–',
    part.since[2] ?? '–',
    stableIn(part),
    isHere(part) ? 'yes' : 'no',
  ]);
  const head = ['part', 'version 1 since', 'version 2 since', 'stable', 'here'];
  expectGenerated('docs/versions.md', 'protocol parts', table(head, rows));
});

function stableIn({ stable }: Part): string {
  if (stable[1] && stable[2]) return 'yes';
  return stable[1] || stable[2] ? `in version ${stable[1] ? 1 : 2}` : 'no';
}
