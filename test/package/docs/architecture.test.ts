import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, folderOf, imports, nodeOnly } from '../imports.ts';
import { codeIn, expectGenerated, rowsBelow, table } from './generated.ts';
import { root } from './pages.ts';

const page = 'docs/architecture.md';
const folders = rowsBelow(page, 'directory', 'content', 'imports from');
const names = folders.map(([folder]) => codeIn(folder) ?? '');

/** The other rooms that the files of one import from, besides `base`. The lists of names may be from each of them. */
function importsOf(folder: string): readonly string[] {
  const targets = imports
    .filter(({ from, to }) => folderOf(from) === folder && folder !== 'entries' && to.endsWith('.ts'))
    .map(({ to }) => folderOf(to));
  return names.filter((other) => ![folder, 'base'].includes(other) && targets.includes(other));
}

test('the page lists every folder and what it imports from', () => {
  expect(names.toSorted()).toEqual([...new Set(files.map(folderOf))].sort());
  const expected = names.map((name) => importsOf(name).map((other) => `\`${other}\``));
  expect(folders.map(([, , imported]) => imported)).toEqual(
    expected.map((list) => list.join(', ') || 'nothing'),
  );
});

test('the page lists the files of base, which all rooms share', () => {
  const inBase = files.filter((file) => folderOf(file) === 'base').map((file) => file.slice('base/'.length));
  expect(rowsBelow(page, 'file', 'content').map(([file]) => codeIn(file))).toEqual(inBase.sort());
});

/** Where a package is imported: the folder, or each file if only some files of the folder may import from Node. */
function importersOf(names: (name: string) => boolean, place: (file: string) => string): string {
  const importers = imports.filter(({ to }) => names(to)).map(({ from }) => place(from));
  return [...new Set(importers)]
    .sort()
    .map((importer) => `\`${importer}\``)
    .join(', ');
}

test('the page lists the packages, and who imports from Node', () => {
  const outside = imports.map(({ to }) => to).filter((to) => !/\.(?:ts|json)$/.test(to));
  const packages = [...new Set(outside)].filter((name) => !name.startsWith('node:')).sort();
  const startsPrograms = (name: string) => name === 'node:child_process';
  const isOtherNode = (name: string) => name.startsWith('node:') && !startsPrograms(name);
  const rows = [
    ...packages.map((name) => [`\`${name}\``, importersOf((other) => other === name, folderOf)]),
    ['`node:child_process`', importersOf(startsPrograms, folderOf)],
    [
      'other modules of Node',
      importersOf(isOtherNode, (file) => (nodeOnly.has(folderOf(file)) ? folderOf(file) : file)),
    ],
  ];
  expectGenerated(page, 'packages', table(['package', 'imported by'], rows));
});

test('each source file that the page names exists', () => {
  const text = readFileSync(join(root, page), 'utf8');
  const named = [...text.matchAll(/`(?:src\/)?([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(50);
  const exists = (name: string) =>
    name.startsWith('test/') || files.some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

test('the paths through the code name functions that their files have', () => {
  const text = readFileSync(join(root, page), 'utf8');
  const steps = [...text.matchAll(/^\| `([\w/-]+\.ts)` \| (`.*`) \|$/gm)];
  expect(steps.length).toBeGreaterThan(40);
  for (const [, file = '', functions = ''] of steps) {
    const source = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, name] of functions.matchAll(/`#?(\w+)`/g)) expect(source, file).toContain(name);
  }
});
