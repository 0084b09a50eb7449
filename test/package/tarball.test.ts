import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tarball } from './installed.ts';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The paths that the manifest names, at any depth of `value`. */
function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

describe('the tarball that npm publishes', () => {
  const listed = execFileSync('tar', ['-tzf', tarball()], { encoding: 'utf8' });
  const paths = listed
    .trim()
    .replaceAll(/^package\//gm, '')
    .split('\n');

  test('has every file that package.json names', () => {
    const { exports, bin, main, types } = manifest;
    const named = pathsIn([exports, bin, main, types, manifest.module]);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has the build, the documents, and nothing else', () => {
    const allowed =
      /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)|dist\/entry\.css|dist\/third-party-licenses\.txt|dist\/inspector\.html\.br|docs\/(?!api\/|decisions\/|architecture\.md|conformance\.md|contributing\.md|maintaining\.md)[\w./-]+\.(?:md|ts|tsx|mjs|js|jsx|lua|css|html|json|svg|png)|docs\/examples\/serve\/Containerfile|docs\/examples\/vscode\/(?:LICENSE|\.vscodeignore|\.vscode\/(?:launch|tasks)\.json))$/;
    expect(paths).not.toContain('dist/cli.cjs');
    expect(
      paths.filter((path) => !allowed.test(path) || /(?:^|\/)\.(?!vscode(?:ignore$|\/))/.test(path)),
    ).toEqual([]);
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

/** Pages that are in the repository and on the site only. */
const leftOut =
  /^docs\/(?:(?:api|decisions)\/|(?:agent-results|architecture|command-line|conformance|contributing|faq|frameworks|inspector|maintaining|migration|neovim|performance|reliability|support|traces|versions)\.md$)/;

describe('the documents in the tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'acp-documents-'));
  let pages: readonly string[] = [];
  beforeAll(() => {
    const list = ['-xzvf', tarball(), '-C', folder, '--strip-components=1'];
    const files = execFileSync('tar', list, { encoding: 'utf8' })
      .replaceAll(/^package\//gm, '')
      .split('\n');
    pages = files.filter((path) => path.endsWith('.md'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (page: string) => readFileSync(join(folder, page), 'utf8').replace(/```[\s\S]*?```/g, '');

  test('link only what is in the tarball', () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
    );
    expect(pages.length).toBeGreaterThan(25);
    expect(links.length).toBeGreaterThan(200);
    const broken = links.filter(({ page, link }) => {
      const [path = ''] = link.split('#');
      const target = path === '' ? page : join(page, '..', path);
      if (leftOut.test(target)) return !existsSync(join(root, target));
      return !statSync(join(folder, target), { throwIfNoEntry: false })?.isFile();
    });
    expect(broken).toEqual([]);
  });

  test('contain no note for the person who publishes the package', () => {
    const told = pages.filter((page) =>
      /note for the publisher|before the first release|replace this/i.test(read(page)),
    );
    expect(told).toEqual([]);
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
