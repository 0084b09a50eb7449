import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { pages, root, rowsBelow } from './pages.ts';

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

const manifest = JSON.parse(read('package.json'));
const workflow = read('.github/workflows/test.yml');

/** The cells of a row: tested, expected, not run. */
const row = (name: string) =>
  rowsBelow('docs/support.md', '', 'tested', 'expected')
    .find(([first]) => first === name)
    ?.slice(1) ?? [];

/** A list of the matrix, such as `node: [20, 22, 24]`. */
function matrix(key: string): readonly string[] {
  const list = new RegExp(`^ +${key}: \\[(.*)\\]$`, 'm').exec(workflow)?.[1];
  return list?.split(', ') ?? [];
}

const minor = (range: string) => /\d+\.\d+/.exec(range)?.[0];

test('the versions of Node are those of the workflow, of the suite, and of the package', () => {
  const supported = /^const supported = \[(.*)\];$/m.exec(read('test/node-versions.mjs'))?.[1];
  const versions = [...(supported ?? '').matchAll(/\d+/g)].map(([version]) => version);
  const [least, ...later] = versions;
  expect(versions).toEqual(expect.arrayContaining([...matrix('node')]));
  expect(matrix('node')).toHaveLength(3);
  expect(row('Node')[0]).toBe(`${least} with each change; ${later.join(', ')} before a release`);
  expect(row('Node')[2]).toBe(`below ${manifest.engines.node.replace('>=', '')}: not supported`);
});

test.each([
  ['Linux', 'ubuntu-latest', 0, 'with each change'],
  ['macOS', 'macos-latest', 2, "prepared: a job of the repository's workflow"],
  ['Windows', 'windows-latest', 2, "prepared: a job of the repository's workflow"],
] as const)('%s is a system of the workflow', (name, image, cell, says) => {
  expect(row(name)[cell]).toContain(says);
  expect(matrix('os')).toContain(image);
});

test('the versions of TypeScript are the compilers of the tests', () => {
  const { typescript, 'typescript-native': native } = manifest.devDependencies;
  expect(row('TypeScript')[0]).toMatch(`${minor(typescript)} and ${minor(native)} compile`);
  expect(row('TypeScript')[2]).toBe(`below ${minor(typescript)}`);
});

test('the bundlers are those of the suite', () => {
  const suite = read('test/suites.mjs');
  const [, bundled = ''] =
    /does: 'a program bundled with ([^']*), which it installs from npm'/.exec(suite) ?? [];
  expect(row('bundlers')[0]).toBe(`${bundled}: [Bundlers](bundlers.md)`);
});

test('the version of VS Code is the one of the example and of its types', () => {
  const { engines } = JSON.parse(read('docs/examples/vscode/package.json'));
  expect(row('editors')[0]).toMatch(`VS Code ${minor(engines.vscode)} and later`);
  expect(minor(manifest.devDependencies['@types/vscode'])).toBe(minor(engines.vscode));
});
