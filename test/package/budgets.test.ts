import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import budgets from '../../budgets.json' with { type: 'json' };
import { codeLines, isCode } from '../support/code-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { root } from './docs/pages.ts';
import { folderOf } from './imports.ts';

type Numbers = Readonly<Record<string, number>>;

/** What is above its budget, or has none. */
function above(measured: Numbers, budget: Numbers): readonly string[] {
  return Object.entries(measured).flatMap(([name, value]) => {
    const limit = budget[name];
    if (limit === undefined) return [`${name} has ${value} and no budget`];
    return value > limit ? [`${name} has ${value}, and its budget is ${limit}`] : [];
  });
}

/** The files of the repository, also those that are not committed yet. */
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const trackedFiles = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // A run writes the list of flaky tests. A flaky test must not make another one fail.
  .filter((path) => path !== 'test/gate/flaky.json' && existsSync(join(root, path)));

/** The room of a file, such as `client` or `programs/cli`. */
const roomOf = (path: string) => folderOf(path.slice('src/'.length));

const counted = trackedFiles.filter(isCode).map((path) => ({ path, lines: codeLines(join(root, path)) }));

const linesOf = (folder: string) => counted.filter(({ path }) => path.startsWith(`${folder}/`));

const sum = (all: readonly { readonly lines: number }[]) =>
  all.reduce((total, { lines }) => total + lines, 0);

const floorOf = (path: string) => path.split('/')[1] ?? '';

/** The lines of all files with the same answer. */
function linesBy(group: (path: string) => string): Numbers {
  const lines: Record<string, number> = {};
  for (const file of linesOf('src')) lines[group(file.path)] = (lines[group(file.path)] ?? 0) + file.lines;
  return lines;
}

test('neither the sources, nor a floor or a room of them, have more lines of code than their budget', () => {
  const { src, floors, rooms } = budgets.codeLines;
  const ofRooms = linesBy(roomOf);
  expect(above({ src: sum(linesOf('src')) }, { src })).toEqual([]);
  expect(above(linesBy(floorOf), floors)).toEqual([]);
  expect(above(ofRooms, rooms)).toEqual([]);
  expect(Object.keys(rooms).filter((room) => !(room in ofRooms))).toEqual([]);
});

test('neither the product nor the tests have more lines of code than their budget', () => {
  const { product, tests } = budgets.codeLines;
  const ofTests = sum(linesOf('test'));
  expect(above({ product: sum(counted) - ofTests, tests: ofTests }, { product, tests })).toEqual([]);
});

test('the repository has no more files and scripts than its budget', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const measured = { files: trackedFiles.length, scripts: Object.keys(scripts).length };
  expect(above(measured, budgets.repository)).toEqual([]);
});

test.each<readonly [code: string, lines: number]>([
  ['', 0],
  ['// only\n\n/* a\n\n comment */\n', 0],
  ['/** Says what. */\nconst a = 1; // why\n\n', 1],
  ['const a = /[/*]/; /* of\n two */ const b = 2;\n', 2],
  [`const a = \`\n// text\n\n\${1 /* no\n text */}\`;\n`, 4],
  ["const a = <p>\n  // text of 'a page\n  {/* none */}\n</p>;\n", 4],
])('%j has %i lines of code', (code, lines) => {
  for (const name of code.includes('<p>') ? ['counted.tsx'] : ['counted.tsx', 'counted.ts']) {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, code);
    expect(codeLines(path), name).toBe(lines);
  }
});

test.each([
  ['css', '/* a\n b */\np { color: red; }\n\n'],
  ['html', '<!-- a\n -->\n<p>text</p>\n'],
  ['lua', '-- a\nlocal a = 1 -- b\n'],
  ['sh', '#!/bin/sh\n\n# a\ntrue\n'],
])('a comment of a %s file is no line of code', (extension, code) => {
  const path = join(temporaryFolder(), `counted.${extension}`);
  writeFileSync(path, code);
  expect(codeLines(path)).toBe(1);
});
