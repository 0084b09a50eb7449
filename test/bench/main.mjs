import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildCommit, compareReplays } from './compare.mjs';
import { corpora } from './corpora.mjs';
import { blocks, comparison, report } from './report.mjs';
import { sections } from './sections.mjs';

const pages = ['README.md', 'docs/performance.md'];
const pathOf = (page) => fileURLToPath(new URL(`../../${page}`, import.meta.url));

/** Puts each block between its markers, on the page that has them. Text around them and missing results stay. */
async function writeDocs(results) {
  const texts = new Map();
  for (const page of pages) texts.set(page, await readFile(pathOf(page), 'utf8'));
  for (const [name, block] of Object.entries(blocks(results))) {
    const between = new RegExp(`(<!-- bench:${name} -->\n)[^]*?(<!-- /bench:${name} -->)`);
    const page = pages.find((candidate) => between.test(texts.get(candidate)));
    if (!page) throw new Error(`${pages.join(' and ')} have no place for ${name}.`);
    texts.set(
      page,
      texts.get(page).replace(between, (_, begin, end) => `${begin}\n${block}\n\n${end}`),
    );
  }
  for (const [page, text] of texts) await writeFile(pathOf(page), text);
}

const usage = `npm run bench -- [options]
  --runs N       how often each replay is measured (default 3); medians are shown
  --only NAME    one section (${Object.keys(sections).join(', ')})
                 or one corpus (${Object.keys(corpora).join(', ')}); may be repeated
  --quick        a tenth of the updates, one run: to see that it works, not for numbers
  --sessions N   how many transcripts are saved and searched (default 5000, with 1 GB)
  --json         the measurements as JSON
  --compare REV  builds another commit, and measures the replays of both in turns
  --write-docs   put the tables into docs/performance.md
`;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '5000' },
    json: { type: 'boolean', default: false },
    compare: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const runs = options.quick ? 1 : Number(options.runs);
const unknown = options.only.filter((name) => !(name in sections) && !(name in corpora));
const sessions = Number(options.sessions);
const areNumbers = [runs, sessions].every((number) => Number.isInteger(number) && number >= 1);
if (options.help || unknown.length > 0 || !areNumbers) {
  process.stderr.write(unknown.length > 0 ? `There is no ${unknown.join(', ')}.\n${usage}` : usage);
  process.exit(options.help ? 0 : 2);
}

const folder = await mkdtemp(join(tmpdir(), 'acp-bench-'));
try {
  const context = {
    folder,
    runs,
    sessions,
    scale: options.quick ? 0.1 : 1,
    /** Whether a corpus is asked for, by its own name or with its section. */
    wants: (name) => options.only.length === 0 || options.only.includes(name),
    say: (line) => process.stderr.write(`${line}\n`),
  };
  const machine = { node: process.version, cores: availableParallelism(), platform: process.platform };
  const print = (found, text) =>
    process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : `${text(found)}\n`);
  if (options.compare) {
    const base = await buildCommit(options.compare, folder);
    const compared = await compareReplays(context, base);
    print({ machine, runs, compared }, comparison);
  } else {
    const results = { machine, runs };
    for (const [name, measure] of Object.entries(sections)) {
      const isWhole = context.wants(name);
      const wants = isWhole ? () => true : context.wants;
      // A corpus can be asked for alone.
      if (!isWhole && !(name === 'replay' && Object.keys(corpora).some(wants))) continue;
      results[name] = await measure({ ...context, wants });
      context.say(`${name} is measured`);
    }
    print(results, report);
    if (options['write-docs']) await writeDocs(results);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
