import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGenerated, root, rowsBelow, table } from './pages.ts';
import { filesWithSkippedTests, hasTest, taggedFiles, tagsOf, testsTagged } from './tagged-tests.ts';

const folder = 'test/conformance/';

/** The requirements of the protocol are written in the page. The tests beside them are generated. */
const row =
  /^\| (\d+) \| (.+) \| ((?:must|should|field): (.+)) \| .* \| (tested(?:\. Left to the editor: .+)?) \|$/gm;
const items = [...readFileSync(join(root, 'docs/conformance.md'), 'utf8').matchAll(row)].map(
  ([, number, rule = '', level = '', versions = '', status = '']) => ({
    number: Number(number),
    rule,
    level,
    versions: versions.split(', '),
    status,
  }),
);
type Item = (typeof items)[number];

/** The titles go on with the versions that the test is about: `v1` or `v1, v2`. */
const claims = testsTagged().flatMap(({ tags, title, file }) => {
  const [versions = ''] = /^(?:(?:v1|v2-markers|v2)(?:, | ))+/.exec(title) ?? [];
  return [...versions.matchAll(/[\w-]+/g)].map(([version]) => ({ numbers: tags.map(Number), version, file }));
});

function filesFor({ number }: Item, version: string): readonly string[] {
  const found = claims.filter((claim) => claim.version === version && claim.numbers.includes(number));
  return [...new Set(found.map(({ file }) => file))];
}

test('the items are numbered from 1 to 80', () => {
  expect(items.map(({ number }) => number)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1));
});

test('each item has a test in each version that has it', () => {
  const untested = items.flatMap((item) =>
    item.versions
      .filter((version) => filesFor(item, version).length === 0)
      .map((version) => `${item.number} in ${version}`),
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

test('the page about conformance lists the items and their tests', () => {
  const rows = items.map((item) => [
    String(item.number),
    item.rule,
    item.level,
    item.versions.map((version) => testsOf(item, version)).join('; '),
    item.status,
  ]);
  expectGenerated('docs/conformance.md', 'items', table(['', 'rule', 'level', 'tests', 'status'], rows));
});

function testsOf(item: Item, version: string): string {
  return filesFor(item, version)
    .map((file) => `${version} \`${file.slice(folder.length)}\``)
    .join(', ');
}

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
