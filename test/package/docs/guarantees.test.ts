import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './pages.ts';
import { tagsOf } from './tagged-tests.ts';

test.each(['security', 'reliability'])(
  'each guarantee on the page about %s has a test, and each such test its guarantee',
  (kind) => {
    const page = readFileSync(join(root, `docs/${kind}.md`), 'utf8');
    const tables = page.match(/^\|.*\| tag of the tests? \|\n(?:\|.*\|\n)*/gm) ?? [];
    const rows = tables.flatMap((lines) =>
      [...lines.matchAll(/\| `([\w-]+)` \|$/gm)].map(([, tag = '']) => tag),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect([...rows].sort()).toEqual(tagsOf(kind));
  },
);
