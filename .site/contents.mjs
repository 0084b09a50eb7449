// The table of contents of the documentation, as the site's sidebar and the order of its pages.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

const sections = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m).slice(1);

/** The sections of docs/README.md, each with its pages: a title, and a path in `docs`. */
export const contents = sections.map((section) => {
  const [title = ''] = section.split('\n', 1);
  const pages = [...section.matchAll(/^\* \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(
    ([, text = '', path = '']) => ({
      title: text.replaceAll('`', ''),
      path,
    }),
  );
  return { title, pages };
});

/** Where the site has a page of `docs`. The first page of a folder has the folder's address. */
export function pageOf(path) {
  if (path === 'README.md') return 'contents.md';
  // The entry `acp-client-sdk` of the reference would be the first page of its folder.
  if (path === 'api/index.md') return 'api/acp-client-sdk.md';
  return path.replace(/README\.md$/, 'index.md');
}

/** The address of a page of `docs` in the site. */
export function linkOf(path) {
  return `/${pageOf(path).replace(/(?:index)?\.md$/, '')}`;
}
