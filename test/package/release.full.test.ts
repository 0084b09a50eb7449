import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { root } from './entries.ts';

const ready: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    version: '1.2.3',
    repository: 'https://example.com/x',
    bugs: 'https://example.com/x/issues',
  }),
  'package-lock.json': JSON.stringify({ version: '1.2.3', packages: { '': { version: '1.2.3' } } }),
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3 (2026-03-01)\n\n* Faster.\n',
  'test/compatibility/1.2.3/programs.json': '{}',
};

/** Commits all files of a folder, and runs the check there. */
function checkIn(folder: string, afterCommit?: (folder: string) => void, args: readonly string[] = []) {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '-m', 'x');
  afterCommit?.(folder);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, '.build/release.mjs'), ...args],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return { status, stdout, problems: stderr.trim() };
}

/** Runs the check in a repository with these files. */
function check(
  changed: Readonly<Record<string, string>> = {},
  afterCommit?: (folder: string) => void,
  args?: readonly string[],
) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ ...ready, ...changed })) {
    if (content === '-') continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return checkIn(folder, afterCommit, args);
}

test('a version that is ready can be released', () => {
  const { status, stdout, problems } = check();
  expect({ status, problems }).toEqual({ status: 0, problems: '' });
  expect(stdout).toContain('1.2.3 can be released');
});

test('a version whose changes have no date yet can be prepared', () => {
  const { status, stdout, problems } = check({
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n* New.\n',
    'test/compatibility/1.2.3/programs.json': '-',
  });
  expect({ status, problems }).toEqual({ status: 0, problems: '' });
  expect(stdout).toContain('1.2.3 can be prepared');
  expect(stdout).toContain('npm run suite -- compatibility');
});

test('the tree of this repository lacks nothing but the address', () => {
  const folder = temporaryFolder();
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const path of paths)
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true });
  const { status, problems } = checkIn(folder);
  expect(problems).toMatch(/^package\.json has no repository and no bugs\. Add the address .*$/);
  expect(status).toBe(1);
});

test.each<readonly [files: Readonly<Record<string, string>>, says: readonly RegExp[]]>([
  [{ 'CHANGELOG.md': '# Changelog\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n' }, [/no section for 1\.2\.3/]],
  [
    { 'CHANGELOG.md': `## Unreleased\n\n* New.\n\n## 1.2.3\n\n* Faster.\n` },
    [/changes under Unreleased/, /has no date/],
  ],
  [
    {
      'CHANGELOG.md': '## 1.2.3 (2026-03-01)\n\n## 1.2.2 (2026-02-01)\n\n* Old.\n',
      'package-lock.json': JSON.stringify({ version: '1.2.2', packages: { '': { version: '1.2.2' } } }),
      'test/compatibility/1.2.3/programs.json': '-',
    },
    [
      /package-lock\.json has the version 1\.2\.2/,
      /is empty/,
      /test\/compatibility\/1\.2\.3 is missing\. Run npm run suite -- compatibility/,
    ],
  ],
  [
    {
      'package.json': JSON.stringify({ version: '1.2.3', bugs: 'https://example.com' }),
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
    writeFileSync(join(folder, 'new.txt'), '');
  });
  expect(status).toBe(1);
  expect(problems).toMatch(/^Files are not committed:\n.*new\.txt\nThe tag v1\.2\.3 exists/);
});

test('the workflow publishes the version that the tag names', () => {
  const tagged = (folder: string) => void execFileSync('git', ['tag', 'v1.2.3'], { cwd: folder });
  expect(check({}, tagged, ['--tagged'])).toMatchObject({ status: 0, problems: '' });
});

test('the workflow does not publish another version, or one that is not prepared', () => {
  const tagged = (folder: string) => void execFileSync('git', ['tag', 'v1.2.2'], { cwd: folder });
  const files = {
    'CHANGELOG.md': '## Unreleased\n\n* New.\n',
    'test/compatibility/1.2.3/programs.json': '-',
  };
  const { status, problems } = check(files, tagged, ['--tagged']);
  expect(status).toBe(1);
  expect(problems.split('\n')).toEqual([
    expect.stringMatching(/changes under Unreleased/),
    expect.stringMatching(/no section for 1\.2\.3/),
    expect.stringMatching(/test\/compatibility\/1\.2\.3 is missing/),
    'This commit has no tag v1.2.3. Its tags: v1.2.2.',
  ]);
});
