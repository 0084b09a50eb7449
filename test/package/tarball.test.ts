import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The paths that the manifest names, at any depth of `value`. */
function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

describe('the tarball that npm publishes', () => {
  let paths: readonly string[] = [];
  beforeAll(() => {
    expect(existsSync(join(root, 'dist/index.js')), 'run npm run build first').toBe(true);
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
    paths = packed.files.map(({ path }: { path: string }) => path);
  });

  test('has every file that package.json names', () => {
    const { exports, bin, main, types } = manifest;
    const named = pathsIn([exports, bin, main, types, manifest.module]);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has the build, its sources, the documents, and nothing else', () => {
    const allowed =
      /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts|map)|src\/[\w./-]+\.ts|dist\/third-party-licenses\.txt|docs\/[\w./-]+\.(?:md|ts|tsx|mjs|css|html|json|svg|png))$/;
    expect(paths.filter((path) => !allowed.test(path) || /(?:^|\/)\./.test(path))).toEqual([]);
    for (const path of ['README.md', 'LICENSE', 'docs/security.md']) expect(paths).toContain(path);
  });

  test('has no credentials and no paths of the machine that built it', () => {
    const suspicious = paths.filter(
      (path) =>
        /BEGIN [A-Z ]*PRIVATE KEY|npm_[A-Za-z0-9]{36}|ghp_[A-Za-z0-9]{36}/.test(
          readFileSync(join(root, path), 'utf8'),
        ) || readFileSync(join(root, path), 'utf8').includes(root),
    );
    expect(suspicious).toEqual([]);
  });
});

describe('the manifest', () => {
  test('runs no script when the package is installed, and builds it before it is packed', () => {
    const scripts = Object.keys(manifest.scripts);
    const onInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
    expect(scripts.filter((name) => onInstall.includes(name))).toEqual([]);
    expect(manifest.scripts.prepack).toBe('npm run build');
  });

  test('asks npm to attest where the package was built', () => {
    expect(manifest.publishConfig).toEqual({ provenance: true });
  });
});
