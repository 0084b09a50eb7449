import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { corpora, withCorpus } from './corpora.mjs';
import { runChild, runInTurns } from './run-child.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds a commit of this repository in a folder of its own, and gives the URL of the build. */
export async function buildCommit(revision, folder) {
  const source = join(folder, 'base');
  await run('git', ['clone', '--quiet', '--no-checkout', root, source]);
  const { stdout: commit } = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], {
    cwd: root,
  });
  await run('git', ['checkout', '--quiet', commit.trim()], { cwd: source });
  await run('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: source });
  await run('npm', ['run', 'build', '--silent'], { cwd: source });
  return pathToFileURL(join(source, 'dist/')).href;
}

/** Measures each replay with both builds in turns, and with the floor, so that other work hits all alike. */
export async function compareReplays(context, base) {
  const jobs = {
    floor: { client: 'floor' },
    base: { client: 'ours', build: base },
    ours: { client: 'ours' },
  };
  const results = [];
  for (const [name, { about }] of Object.entries(corpora)) {
    if (!context.wants(name) && !context.wants('replay')) continue;
    const found = await withCorpus(context, name, (corpus) =>
      runInTurns(context.runs, jobs, (job) => runChild('replay', { ...job, corpus })),
    );
    const { base: before, ours } = found;
    context.say(`${name}: ${before.ms.median.toFixed(0)} ms, now ${ours.ms.median.toFixed(0)} ms`);
    results.push({ name, about, ...found });
  }
  return results;
}
