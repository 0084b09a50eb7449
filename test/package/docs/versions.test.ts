import { test } from 'vitest';
import { losses } from '../../conformance/losses.ts';
import { expectGenerated, table } from './generated.ts';

test('the table of differences between versions is up to date', () => {
  const rows = losses.map(({ where, v1, v2 }) => [where, v1, v2]);
  expectGenerated(
    'docs/versions.md',
    'losses',
    table(['in the conversation', 'version 1', 'version 2'], rows),
  );
});
