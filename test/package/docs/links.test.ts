import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { pages, root } from './pages.ts';

const anchorsOf = (page: string) =>
  new Set(
    [...readFileSync(join(root, page), 'utf8').matchAll(/^#+\s+(.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test.each(pages)('each link of %s has a target', (page) => {
  const source = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  const broken = [...source.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].filter(([, link = '']) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(root, resolve(root, page, '..', path));
    try {
      readFileSync(join(root, target));
    } catch {
      return true;
    }
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
  });
  expect(broken.map(([whole]) => whole)).toEqual([]);
});

test.each(pages)('%s runs the command line by the name of the package', (page) => {
  // npm has a package of another author with the name of the command. It runs where this package is not installed.
  expect(readFileSync(join(root, page), 'utf8')).not.toMatch(/npx (?:-\S+ )*acp-client(?!-sdk)/);
});

/** The documents that a text in a folder links, each once, as paths in the repository. */
function linked(text: string, folder: string): readonly string[] {
  const links = text.matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g);
  return [...new Set([...links].map(([, link = '']) => posix.join(folder, link)))];
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const reference = readdirSync(join(root, 'docs/api'));

/** What a reader looks for, without the two lists. Decisions have a list of their own. */
const documents = [...pages, ...reference.map((name) => `docs/api/${name}`)].filter(
  (page) => !/^(?:docs\/)?README\.md$|^docs\/decisions\/\d/.test(page),
);

test('the table of contents links each document', () => {
  expect(documents.length).toBeGreaterThan(30);
  expect([...linked(read('docs/README.md'), 'docs')].sort()).toEqual([...documents].sort());
});

const withoutIntroduction = read('docs/README.md')
  .split(/^(?=## )/m)
  .slice(1)
  .join('');

/** The pages in the order of the table of contents, without the reference and the examples. */
const book = [
  ...new Set(
    [...withoutIntroduction.matchAll(/^\* \[[^\]]+\]\(((?!api\/|examples\/)[^)]+)\)/gm)].map(
      ([, page = '']) => page,
    ),
  ),
];

test.each(book.slice(0, -1))('%s ends with a link to the next page', (page) => {
  const next = book[book.indexOf(page) + 1];
  const lastLine = read(`docs/${page}`).trimEnd().split('\n').at(-1);
  expect(lastLine).toMatch(/^Next: \[[^\]]+\]\([^)]+\)$/);
  expect(lastLine).toContain(`](${next})`);
});
