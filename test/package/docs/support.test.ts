import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowsBelow } from './generated.ts';
import { root } from './pages.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const workflow = read('.github/workflows/test.yml');

/** The cells of a row: tested, expected, not tested. */
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
  const withEachChange = matrix('node');
  const supported = /^const supported = \[(.*)\];$/m.exec(read('test/node-versions.mjs'))?.[1];
  const later = [...(supported ?? '').matchAll(/\d+/g)]
    .map(([version]) => version)
    .filter((version) => !withEachChange.includes(version));
  expect(withEachChange).toHaveLength(3);
  expect(row('Node')[0]).toBe(
    `${withEachChange.join(', ')} with each change; ${later.join(', ')} before a release`,
  );
  expect(row('Node')[2]).toBe(`below ${manifest.engines.node.replace('>=', '')}: not supported`);
});

test.each([
  ['Linux', 'ubuntu-latest'],
  ['macOS', 'macos-latest'],
  ['Windows', 'windows-latest'],
])('%s is a system of the workflow', (name, image) => {
  expect(row(name)[0]).toContain('with each change');
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
