import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, floors, rooms } from '../imports.ts';
import { codeIn, expectGenerated, rowsBelow, table } from './generated.ts';
import { root } from './pages.ts';

const page = 'docs/architecture.md';

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

test('the page begins with the floors, and what each imports from', () => {
  const rows = floors.map((each) => [`\`${each.floor}\``, code(each.rooms), code(each.below) || 'nothing']);
  expectGenerated(page, 'floors', table(['floor', 'rooms', 'imports from'], rows));
});

test('the page lists every room', () => {
  expect(rowsBelow(page, 'room', 'content').map(([room]) => codeIn(room))).toEqual(rooms);
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
