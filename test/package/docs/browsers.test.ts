import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './pages.ts';

/** The entries that a page can use, as the pages name them. Of `/panel`, this is the page's end. */
const inPages = [
  'acp-client-sdk',
  '/ag-ui',
  '/ai-sdk',
  '/conversation',
  '/markdown',
  '/tools',
  '/schema/*',
  '/panel',
];

/** The entries for another place: a Node program, an extension, a test. */
const elsewhere = ['/node', '/testing', '/transcripts', '/vscode'];

test('each entry of the package is for a page or for another place', () => {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = Object.keys(exports)
    .filter((path) => !['./package.json', './entry.css', './conversation.schema.json'].includes(path))
    .map((path) => (path === '.' ? name : path.slice(1).replace(/^\/schema\/.*/, '/schema/*')));
  expect([...new Set(listed)].sort()).toEqual([...inPages, ...elsewhere].sort());
});

test.each([
  ['README.md', /^You need Node 20 or newer\. (.*) also run in a browser\./m],
  ['docs/faq.md', /^\*\*Does the library run in a browser\?\*\* (.*) run there\./m],
])('%s names the entries for a page', (page, sentence) => {
  const [, list = ''] = sentence.exec(readFileSync(join(root, page), 'utf8')) ?? [];
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, entry]) => entry)).toEqual(inPages);
});
