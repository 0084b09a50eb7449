import { test } from 'vitest';
import { protocolSchema } from '../../../src/protocol/published-schema.ts';
import { expectGenerated, table } from './generated.ts';

test('the page about versions names the schemas that the package was checked against', () => {
  const { package: name, v1, v2 } = protocolSchema;
  const rows = Object.entries({ 1: v1, 2: v2 }).map(([version, release]) => [
    version,
    `\`${name}\``,
    release,
  ]);
  expectGenerated('docs/versions.md', 'schemas', table(['protocol version', 'package', 'release'], rows));
});
