import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, root } from './pages.ts';
import { phrasesIn } from './phrases.ts';

// Decisions are not changed later.
test.each(pages.filter((page) => !page.startsWith('docs/decisions/')))(
  'the sentences of %s are plain',
  (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    // Without code, comments and the targets of links.
    const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->|\]\([^)]*\)/g, '');
    expect(phrasesIn(prose)).toEqual([]);
  },
);
