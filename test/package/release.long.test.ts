import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { root } from './entries.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const ready: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'x',
    version: '1.2.3',
    main: './index.js',
    files: ['index.js'],
    repository: 'https://example.com/x',
    bugs: 'https://example.com/x/issues',
  }),
  'package-lock.json': JSON.stringify({ version: '1.2.3', packages: { '': { version: '1.2.3' } } }),
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3 (2026-03-01)\n\n* Faster.\n',
  'README.md': '# x\n',
  LICENSE: 'MIT\n',
  'index.js': '',
  'test/compatibility/1.2.3/programs.json': '{}',
};

/** Runs the check in a repository with these files. */
function check(changed: Readonly<Record<string, string>> = {}, afterCommit?: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'acp-release-'));
  folders.push(folder);
  for (const [name, content] of Object.entries({ ...ready, ...changed })) {
    if (content === '-') continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '-m', 'x');
  afterCommit?.(folder);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, '.build/release.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, problems: stderr.trim() };
}

test('a version that is ready can be released', () => {
  const { status, stdout, problems } = check();
  expect({ status, problems }).toEqual({ status: 0, problems: '' });
  expect(stdout).toContain('1.2.3 can be released');
});

// Each run packs the package, which takes seconds, so that a run has several problems.
test.each<readonly [files: Readonly<Record<string, string>>, says: readonly RegExp[]]>([
  [
    {
      'CHANGELOG.md': '# Changelog\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n',
      'index.js': 'x'.repeat(5_600_000),
    },
    [/no section for 1\.2\.3/, /unpacks to 56\d{5} bytes/],
  ],
  [
    { 'CHANGELOG.md': `## Unreleased\n\n* New.\n\n## 1.2.3\n\n* Faster.\n`, 'index.js': '-' },
    [/changes under Unreleased/, /has no date/, /The tarball lacks index\.js/],
  ],
  [
    { 'test/compatibility/1.2.3/programs.json': '-', 'index.js': '-' },
    [
      /test\/compatibility\/1\.2\.3 is missing\. Run npm run compatibility:record/,
      /The tarball lacks index\.js/,
    ],
  ],
  [
    {
      'CHANGELOG.md': '## 1.2.3 (2026-03-01)\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n',
      'package-lock.json': JSON.stringify({ version: '1.2.2', packages: { '': { version: '1.2.2' } } }),
    },
    [/package-lock\.json has the version 1\.2\.2/, /is empty/],
  ],
  [
    {
      'package.json': JSON.stringify({
        name: 'x',
        version: '1.2.3',
        bugs: 'https://example.com',
        files: ['index.js'],
      }),
    },
    [/package\.json has no repository\./],
  ],
])('problems of a version are all reported (%#)', (files, says) => {
  const { status, problems } = check(files);
  expect(status).toBe(1);
  const lines = problems.split('\n');
  expect(lines).toHaveLength(says.length);
  for (const [index, line] of lines.entries()) expect(line).toMatch(says[index] ?? /^$/);
});

test('a version that has a tag, and changed files, cannot be released', () => {
  const { status, problems } = check({}, (folder) => {
    execFileSync('git', ['tag', 'v1.2.3'], { cwd: folder });
    writeFileSync(join(folder, 'README.md'), 'changed');
  });
  expect(status).toBe(1);
  expect(problems).toMatch(/^Files are not committed:\n.*README\.md\nThe tag v1\.2\.3 exists/);
});
