import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const folder = resolve(import.meta.dirname, '../../../docs');

/** The pages in the order in which they are read. */
const book = [
  'getting-started.md',
  'sessions.md',
  'conversation.md',
  'permissions.md',
  'mcp-servers.md',
  'recipes.md',
  'vscode.md',
  'capabilities.md',
  'versions.md',
  'errors.md',
  'transports.md',
  'bundlers.md',
  'starting-agents.md',
  'testing.md',
  'traces.md',
  'command-line.md',
  'faq.md',
  'migration.md',
  'reliability.md',
  'security.md',
  'performance.md',
  'conformance.md',
  'agents.md',
  'architecture.md',
  'contributing.md',
  'decisions/README.md',
];

test('the table of contents lists each page', () => {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  expect([...pages, 'decisions/README.md'].sort()).toEqual([...book].sort());
});

test.each(book.slice(0, -1).filter((page) => existsSync(join(folder, page))))(
  '%s ends with a link to the next page',
  (page) => {
    const next = book[book.indexOf(page) + 1];
    const lastLine = readFileSync(join(folder, page), 'utf8').trimEnd().split('\n').at(-1);
    expect(lastLine).toMatch(/^Next: \[[^\]]+\]\([^)]+\)$/);
    expect(lastLine).toContain(`](${next})`);
  },
);
