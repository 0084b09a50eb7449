// Changes the sources in many places, and lists the changes that no test notices: node test/mutation/main.mjs PATH…
// A path is a file or a folder below src, such as client/session. The changes are made in a copy of the tree, so an
// interrupted run leaves nothing in the checkout. `--save FILE` writes the changes that no test notices, and `--only FILE`
// makes only those of such a file: they are the quick check of a new test. `--tests GLOB` runs only the tests of a glob.
// `--every N` makes each Nth change of a large room. `--longest MS` leaves out tests that take longer. `--processes N` is for
// a busy machine: each process loads all tests.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyTree, installInstrumenter, instrument } from './instrument.mjs';
import { endPrograms, noticesFromStart, play } from './play.mjs';
import { slowTests, testsOf } from './tests.mjs';
import { entryOf, isSame, judged } from './verdict.mjs';

const root = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: 'string' },
    only: { type: 'string' },
    tests: { type: 'string' },
    every: { type: 'string', default: '1' },
    longest: { type: 'string', default: '10000' },
    processes: { type: 'string', default: String(availableParallelism() + 1) },
  },
});
const paths = positionals.map((path) => `src/${path.replace(/^src\//, '').replace(/\/$/, '')}`);
if (paths.length === 0) fail('Name files or folders of src, as in: npm run suite -- mutation client/session');

const work = mkdtempSync(join(tmpdir(), 'acp-mutation-'));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    endPrograms();
    rmSync(work, { recursive: true, force: true });
    process.exit(1);
  });
try {
  process.exitCode = await run();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function run() {
  const instrumenter = await installInstrumenter(process.env.MUTATION_TOOLS ?? join(work, 'tools'));
  const survivors = [];
  let status = 0;
  for (const path of paths) {
    const { lines, isGood, left } = await testPath(instrumenter, path);
    console.log(lines.join('\n'));
    survivors.push(...left);
    if (!isGood) status = 1;
  }
  if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(survivors, null, 2)}\n`);
  return status;
}

async function testPath(instrumenter, path) {
  const entry = testsOf.find(({ sources }) => `${path}/`.startsWith(sources));
  if (!entry) fail(`test/mutation/tests.mjs does not say which tests ${path} has.`);
  const tree = mkdtempSync(join(work, 'tree-'));
  copyTree(root, tree);
  const only = values.only === undefined ? undefined : JSON.parse(readFileSync(values.only, 'utf8'));
  const changes = await instrument(instrumenter, tree, filesOf(path));
  const wanted = changes
    .filter((change) => !only || only.some((one) => isSame(one, entryOf(change))))
    .filter((_, at) => at % Number(values.every) === 0);
  console.log(`${path}: ${wanted.length} of ${changes.length} changes`);
  const parts = {
    tree,
    work,
    tests: values.tests === undefined ? entry.tests : [values.tests],
    exclude: slowTests,
  };
  const ids = wanted.map(({ id }) => id);
  const { noticed, reached, loaded, problems } = await play({
    ...parts,
    wanted: ids,
    processes: Number(values.processes),
    longestMs: Number(values.longest),
  });
  // What no test reaches may have had its effect before. A test that loads a file reaches its tables, and later tests do not.
  const early = wanted.filter(
    (change) =>
      !noticed.has(change.id) && (isInTable(change) || (loaded.has(change.id) && !reached.has(change.id))),
  );
  const checkNext = async () => {
    for (let change = early.shift(); change; change = early.shift())
      if (await noticesFromStart({ ...parts, change })) noticed.add(change.id);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, checkNext));
  const skipped = changes.filter((change) => !wanted.includes(change)).map(entryOf);
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'explained.json'), 'utf8'));
  const explained = known.filter((one) => !skipped.some((other) => isSame(one, other)));
  const { lines, ...verdict } = judged(wanted, noticed, explained);
  return { ...verdict, lines: [...problems, ...lines] };
}

/** Whether a change is in a value that is made when its file is loaded. */
function isInTable({ source, location }) {
  return /^(?:export )?const /.test(source.split('\n')[location.start.line - 1]);
}

function filesOf(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /(?<!\.d)\.tsx?$/.test(name))
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
