import { test } from 'vitest';
import { keywords } from '../../../src/programs/demo/replies.ts';
import { expectGenerated, table } from './generated.ts';

test('the page on testing has every keyword of the demo agent', () => {
  const rows = keywords.map(({ words, effect }) => [
    words.map((word) => `\`${word}\``).join(', '),
    `${effect.charAt(0).toUpperCase()}${effect.slice(1)}.`,
  ]);
  expectGenerated('docs/testing.md', 'keywords', table(['word', 'answer'], rows));
});
