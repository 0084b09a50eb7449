import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './pages.ts';
import { entries, exportsOf, isInternal } from './public-names.ts';
import { reference } from './reference.ts';

const nameOf = (entry: string) => (entry.includes('/') ? entry.split('/').at(-1) : 'index');

test.each(entries)('the reference of %s is up to date', (entry) => {
  const path = join(root, `docs/api/${nameOf(entry)}.md`);
  const content = reference(entry);
  for (const symbol of exportsOf(entry)) {
    if (!isInternal(symbol)) expect(content).toMatch(new RegExp(`^### ${symbol.name}$`, 'm'));
  }
  if (process.env['UPDATE_DOCS']) writeFileSync(path, content);
  else expect(content, 'UPDATE_DOCS=1 npx vitest run test/package/docs').toBe(readFileSync(path, 'utf8'));
});
