import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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
