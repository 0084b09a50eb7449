import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { protocolSchema } from '../../../src/core/protocol/published-schema.ts';
import { isHere } from '../../oracle/known-parts.ts';
import { type Part, parts } from '../../schema/parts.mjs';
import { conversationSchemas } from '../../support/conversation-schema.ts';
import { expectGenerated, table } from './generated.ts';

test('the schema of a conversation, and the one that an import checks, are those of the types', () => {
  const { published, checked } = conversationSchemas();
  const wanted = {
    'docs/conversation.schema.json': `${JSON.stringify(published)}\n`,
    'src/core/conversation/shape.json': `${JSON.stringify(checked, null, 1)}\n`,
  };
  for (const [file, text] of Object.entries(wanted)) {
    const path = join(import.meta.dirname, '../../..', file);
    if (process.env['UPDATE_DOCS']) writeFileSync(path, text);
    expect(readFileSync(path, 'utf8'), file).toBe(text);
  }
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
