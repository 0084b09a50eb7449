import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { root } from './entries.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const ready: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'x', version: '1.2.3', main: './index.js', files: ['index.js'] }),
  'package-lock.json': JSON.stringify({ version: '1.2.3', packages: { '': { version: '1.2.3' } } }),
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3 (2026-03-01)\n\n* Faster.\n',
  'README.md': '# x\n',
  LICENSE: 'MIT\n',
  'index.js': '',
};

/** Runs the check in a repository with these files. */
function check(changed: Readonly<Record<string, string>> = {}, afterCommit?: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'acp-release-'));
  folders.push(folder);
  for (const [name, content] of Object.entries({ ...ready, ...changed })) {
    if (content !== '-') writeFileSync(join(folder, name), content);
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

test.each<readonly [what: string, files: Readonly<Record<string, string>>, says: RegExp]>([
  [
    'a changelog without the version',
    { 'CHANGELOG.md': '# Changelog\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n' },
    /no section for 1\.2\.3/,
  ],
  ['a version without a date', { 'CHANGELOG.md': '## 1.2.3\n\n* Faster.\n' }, /has no date/],
  [
    'an empty section',
    { 'CHANGELOG.md': '## 1.2.3 (2026-03-01)\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n' },
    /is empty/,
  ],
  [
    'unreleased changes',
    { 'CHANGELOG.md': `## Unreleased\n\n* New.\n\n${ready['CHANGELOG.md']}` },
    /changes under Unreleased/,
  ],
  [
    'a lock file of another version',
    { 'package-lock.json': JSON.stringify({ version: '1.2.2', packages: { '': { version: '1.2.2' } } }) },
    /package-lock\.json has the version 1\.2\.2/,
  ],
  ['a file that package.json names and that is missing', { 'index.js': '-' }, /The tarball lacks index\.js/],
  ['a tarball that is too large', { 'index.js': 'x'.repeat(2_600_000) }, /unpacks to 26\d{5} bytes/],
])('%s cannot be released', (_, files, says) => {
  const { status, problems } = check(files);
  expect(status).toBe(1);
  expect(problems).toMatch(says);
  expect(problems.split('\n')).toHaveLength(1);
});

test('a version that has a tag, or with changed files, cannot be released', () => {
  const tagged = check({}, (folder) => execFileSync('git', ['tag', 'v1.2.3'], { cwd: folder }));
  expect(tagged).toMatchObject({ status: 1, problems: expect.stringContaining('The tag v1.2.3 exists') });
  const changed = check({}, (folder) => writeFileSync(join(folder, 'README.md'), 'changed'));
  expect(changed).toMatchObject({ status: 1, problems: expect.stringContaining('README.md') });
});
