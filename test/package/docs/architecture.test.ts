import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, floors, rooms } from '../imports.ts';
import { codeIn, expectGenerated, root, rowsBelow, table } from './pages.ts';

const page = 'docs/architecture.md';

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

test('the page begins with the floors, and what each imports from', () => {
  const rows = floors.map((each) => [`\`${each.floor}\``, code(each.rooms), code(each.below) || 'nothing']);
  expectGenerated(page, 'floors', table(['floor', 'rooms', 'imports from'], rows));
});

test('the page lists every room', () => {
  expect(rowsBelow(page, 'room', 'content').map(([room]) => codeIn(room))).toEqual(rooms);
});

const text = readFileSync(join(root, page), 'utf8');

test('each source file that the page names exists', () => {
  const named = [...text.matchAll(/`(?:src\/)?([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(50);
  const exists = (name: string) =>
    name.startsWith('test/') || files.some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

test('the paths through the code name functions that their files have', () => {
  const steps = [...text.matchAll(/^\| `([\w/-]+\.ts)` \| (`.*`) \|$/gm)];
  expect(steps.length).toBeGreaterThan(40);
  for (const [, file = '', functions = ''] of steps) {
    const source = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, name] of functions.matchAll(/`(#?\w+)`/g))
      expect(source, file).toMatch(new RegExp(`${name}\\b`));
  }
});

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The packages that are bundled into `dist`. */
const { bundled }: { readonly bundled: readonly string[] } = await import(
  new URL('../../../.build/entries.mjs', import.meta.url).href
);
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

interface LockedPackage {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

function locked(name: string): LockedPackage {
  const found: LockedPackage | undefined = lock.packages[`node_modules/${name}`];
  if (!found) throw new Error(`${name} is not in package-lock.json`);
  return found;
}

/** The packages that a package needs, at any depth. */
function needs(name: string): readonly string[] {
  const direct = Object.keys(locked(name).dependencies ?? {});
  return [...new Set(direct.flatMap((dependency) => [dependency, ...needs(dependency)]))].sort();
}

test('the page about security has each dependency with its license, what it needs, and a reason', () => {
  const names = [...Object.keys(manifest.dependencies), ...bundled].sort();
  const rows = rowsBelow('docs/security.md', 'package', 'license', 'needs', 'why');
  expect(rows.map((row) => row.slice(0, 3))).toEqual(
    names.map((name) => [code([name]), String(locked(name).license), code(needs(name))]),
  );
  expect(rows.filter(([, , , why]) => why === '')).toEqual([]);
});

test('a package that is bundled is not a dependency', () => {
  expect(bundled).not.toEqual([]);
  expect(bundled.filter((name) => name in manifest.dependencies)).toEqual([]);
});

test('the documents install the versions of AI SDK that are tested', () => {
  const { ai, '@ai-sdk/react': react } = manifest.devDependencies;
  const [major = '', reactMajor = ''] = [ai, react].map((range: string) => /^\^(\d+)/.exec(range)?.[1]);
  expect(manifest.peerDependencies.ai).toBe(`^${major}.0.0`);
  for (const page of ['docs/ai-sdk.md', 'docs/examples/bridges/README.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    const named = [...text.matchAll(/^npm install .*? ai@(\S+) @ai-sdk\/react@(\S+)/gm)];
    expect(named.map(([, ...versions]) => versions)).toEqual([[major, reactMajor]]);
  }
  const needed = ['ai', '@ai-sdk/react'].map((name) => locked(name).engines?.node);
  expect(needed).toEqual(['>=22', '>=22']);
  expect(readFileSync(join(root, 'docs/ai-sdk.md'), 'utf8')).toContain('needs Node 22');
});

test('no dependency runs a script when it is installed', () => {
  const names = [...Object.keys(manifest.dependencies), ...bundled];
  const all = names.flatMap((name) => [name, ...needs(name)]);
  expect(all.length).toBeGreaterThan(names.length);
  expect(all.filter((name) => locked(name).hasInstallScript)).toEqual([]);
});

test('the page about security says how to report a vulnerability', () => {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const [, section = ''] = /^## Report a vulnerability\n([\s\S]*?)(?=\n## |\nNext: )/m.exec(page) ?? [];
  // The package does not name a repository. npm knows who may publish it.
  expect(section).toContain('`npm view acp-client-sdk maintainers`');
  expect(section).not.toMatch(/https?:|@/);
});
