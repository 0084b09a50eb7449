import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'vitest';
import { expectGenerated, table } from './generated.ts';
import { root } from './pages.ts';

/** A module without types: reasons by file and title. */
const { skipped }: { skipped: Readonly<Record<string, Readonly<Record<string, string>>>> } = await import(
  pathToFileURL(join(root, 'test/windows/skipped.mjs')).href
);

test('the table of tests that Wine cannot run is up to date', () => {
  const rows = Object.entries(skipped).flatMap(([file, tests]) =>
    Object.entries(tests).map(([title, reason]) => [
      `\`${file}\``,
      title.replace(/^\[.*?\] /, ''),
      `${reason}.`,
    ]),
  );
  expectGenerated('docs/maintaining.md', 'wine', table(['file', 'test', 'reason'], rows));
});
