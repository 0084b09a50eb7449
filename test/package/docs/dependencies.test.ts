import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGenerated, table } from './generated.ts';
import { root } from './pages.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The packages that are bundled into `dist`. */
const { bundled }: { readonly bundled: readonly string[] } = await import(
  new URL('../../../.build/entries.mjs', import.meta.url).href
);
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Why the package depends on each. */
const reasons: Readonly<Record<string, string>> = {
  'cross-spawn':
    'Starts programs on Windows. Part of the package. See [Decision 1](decisions/0001-cross-spawn.md) and [Decision 18](decisions/0018-cross-spawn-is-bundled.md).',
  diff: 'Computes the lines of a diff. See [Decision 15](decisions/0015-jsdiff.md).',
  'eventsource-parser':
    'Cuts the streams of remote agents into events. See [Decision 27](decisions/0027-packages-for-remote-agents.md).',
  'set-cookie-parser':
    'Reads the cookies of remote agents. See [Decision 27](decisions/0027-packages-for-remote-agents.md).',
  'signal-exit':
    'Ends agents when a signal ends the editor. See [Decision 14](decisions/0014-signal-exit.md).',
  valibot: 'Checks what agents and callers pass.',
  'vscode-jsonrpc': 'Matches requests with responses, in both directions.',
};

interface LockedPackage {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
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

test('each dependency has a reason, its license, and what it depends on', () => {
  const names = [...Object.keys(manifest.dependencies), ...bundled].sort();
  expect(Object.keys(reasons).sort()).toEqual(names);
  const rows = names.map((name) => [
    `\`${name}\``,
    String(locked(name).license),
    needs(name)
      .map((dependency) => `\`${dependency}\``)
      .join(', '),
    reasons[name] ?? '',
  ]);
  expectGenerated('docs/security.md', 'dependencies', table(['package', 'license', 'needs', 'why'], rows));
});

test('a package that is bundled is not a dependency', () => {
  expect(bundled).not.toEqual([]);
  expect(bundled.filter((name) => name in manifest.dependencies)).toEqual([]);
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
