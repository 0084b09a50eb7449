// Checks that a version can be released: version, changelog and tag. Changes and publishes nothing. Runs in the
// folder of the package: node .build/release.mjs [--tagged]. Before the changelog has a section of the version, it checks
// what can be checked then, and names the steps that remain. With `--tagged`, every step must be done, and the commit must
// have the tag of the version: the workflow that publishes runs for the tag.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFlaky } from '../test/gate/flaky.mjs';

const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', shell: process.platform === 'win32' });
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));

const manifest = json('package.json');
const { version } = manifest;
const isTagged = process.argv.includes('--tagged');

/** The text under each heading of level two. */
function sectionsOf(changelog) {
  const sections = changelog.split(/^## +/m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading, ...lines] = section.split('\n');
      return [heading.trim(), lines.join('\n').trim()];
    }),
  );
}

const sections = sectionsOf(readFileSync('CHANGELOG.md', 'utf8'));
const heading = [...sections.keys()].find((key) => key.split(' ')[0] === version);
const hasChanges = Boolean(sections.get('Unreleased'));
/** The date and the record of a version are made for its release, and not before. */
const isPrepared = isTagged || heading !== undefined || !hasChanges;

function* problemsOf() {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    yield `The version in package.json is ${JSON.stringify(version)}. Write it as 1.2.3.`;
  }
  const lock = json('package-lock.json');
  if (lock.version !== version || lock.packages[''].version !== version) {
    yield `package-lock.json has the version ${lock.version}, and package.json has ${version}. Run npm install.`;
  }
  const missing = ['repository', 'bugs'].filter((field) => manifest[field] === undefined);
  if (missing.length > 0) {
    yield `package.json has no ${missing.join(' and no ')}. Add the address of the public repository: npm needs it for provenance and for the links of the README.`;
  }
  if (isPrepared) yield* preparationProblems();
  for (const { name } of readFlaky('test/gate/flaky.json'))
    yield `A test is flaky: ${name}. Mend it, and remove it from test/gate/flaky.json.`;
  const changed = run('git', 'status', '--porcelain').trim();
  if (changed) yield `Files are not committed:\n${changed}`;
  if (isTagged) {
    const tags = run('git', 'tag', '--points-at', 'HEAD').trim().split('\n');
    if (!tags.includes(`v${version}`))
      yield `This commit has no tag v${version}. Its tags: ${tags.join(', ') || 'none'}.`;
  } else if (run('git', 'tag', '--list', `v${version}`).trim()) {
    yield `The tag v${version} exists. Raise the version in package.json.`;
  }
}

function* preparationProblems() {
  if (hasChanges) {
    yield `CHANGELOG.md has changes under Unreleased. Move them under "${version} (year-month-day)".`;
  }
  if (heading === undefined) yield `CHANGELOG.md has no section for ${version}.`;
  else if (!/^\S+ \(\d{4}-\d\d-\d\d\)$/.test(heading)) {
    yield `The heading "${heading}" in CHANGELOG.md has no date. Write "${version} (year-month-day)".`;
  } else if (sections.get(heading) === '') yield `The section "${heading}" in CHANGELOG.md is empty.`;
  const folder = `test/compatibility/${version}`;
  if (!existsSync(folder)) yield `${folder} is missing. Run npm run suite -- compatibility, and commit it.`;
}

const preparation = [
  `Move the changes of CHANGELOG.md under "${version} (year-month-day)".`,
  'Run npm run suite -- compatibility, and commit what it writes.',
  'Run npm run release again.',
];
// The workflow publishes the tag.
const publication = [`git tag v${version}`, `git push origin v${version}`];

const problems = [...problemsOf()];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else {
  const [state, steps] = isPrepared ? ['can be released', publication] : ['can be prepared', preparation];
  process.stdout.write(`${version} ${state}:\n  ${steps.join('\n  ')}\n`);
}
