import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, rowsBelow } from './pages.ts';
import { filesWithSkippedTests, hasTest, taggedFiles, tagsOf, testsTagged } from './tagged-tests.ts';

/** The requirements of the protocol, each with the number that is the tag of its tests. */
const row = /^\| (\d+) \| .+ \| (?:must|should|field): (.+) \|$/gm;
const items = [...readFileSync(join(root, 'docs/conformance.md'), 'utf8').matchAll(row)].map(
  ([, number, versions = '']) => ({ number: Number(number), versions: versions.split(', ') }),
);

/** The titles go on with the versions that the test is about: `v1` or `v1, v2`. */
const claims = testsTagged().flatMap(({ tags, title }) => {
  const [versions = ''] = /^(?:(?:v1|v2-markers|v2)(?:, | ))+/.exec(title) ?? [];
  const numbers = tags.map(Number).filter(Number.isInteger);
  return [...versions.matchAll(/[\w-]+/g)].map(([version]) => ({ numbers, version }));
});

test('the items are numbered from 1 to 80', () => {
  expect(items.map(({ number }) => number)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1));
});

test('each item has a test in each version that has it', () => {
  const untested = items.flatMap(({ number, versions }) =>
    versions
      .filter((each) => !claims.some(({ version, numbers }) => version === each && numbers.includes(number)))
      .map((version) => `${number} in ${version}`),
  );
  expect(untested).toEqual([]);
});

test('each test of an item names an item that exists', () => {
  const known = new Set(items.map(({ number }) => number));
  expect(claims.filter(({ numbers }) => !numbers.every((number) => known.has(number)))).toEqual([]);
});

/** The rules of the Preview name their tests in the page: files below `test`, each with a title. */
const previewRows = rowsBelow('docs/conformance.md', 'part', 'rule', 'known from', 'tests').map(
  ([part = '', rule = '', source = '', cell = '']) => ({
    ...{ part, rule, source, cell },
    tests: [...cell.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([text, file, title = '']) => {
      return { text, file: `test/${file}`, title };
    }),
  }),
);

test.each(previewRows)('the rule names where it is known from, and tests that exist: $part, $rule', (row) => {
  expect(row.source).toMatch(/^(?:page|schema|\*\*inferred\*\*(?:, \[record \d+\].*)?)$/);
  expect(row.tests.map(({ text }) => text).join(', ')).toBe(row.cell);
  expect(row.tests.filter(({ file, title }) => !hasTest(file, title))).toEqual([]);
});

test('no test that a page refers to is skipped', () => {
  const named = previewRows.flatMap(({ tests }) => tests.map(({ file }) => file));
  expect(filesWithSkippedTests(new Set([...taggedFiles, ...named]))).toEqual([]);
});

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
