import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { corpora } from './corpora.mjs';
import { writeCorpus } from './corpus-file.mjs';
import { runChild, summary } from './run-child.mjs';

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
export async function compareReplays({ folder, runs, scale, wants, say }, base) {
  const jobs = {
    floor: { client: 'floor' },
    base: { client: 'ours', build: base },
    ours: { client: 'ours' },
  };
  const names = Object.keys(jobs);
  const results = [];
  for (const [name, { updates, about }] of Object.entries(corpora)) {
    if (!wants(name) && !wants('replay')) continue;
    const corpus = writeCorpus(folder, name, Math.ceil(updates * scale));
    const samples = Object.fromEntries(names.map((job) => [job, []]));
    for (let round = 0; round < runs; round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const job = names[(round + turn) % names.length];
        samples[job].push(await runChild('replay', { ...jobs[job], corpus }));
      }
    }
    await rm(corpus.path);
    const result = { name, about };
    for (const job of names) {
      result[job] = {
        ms: summary(samples[job].map(({ ms }) => ms)),
        cpuMs: summary(samples[job].map(({ cpuMs }) => cpuMs)),
      };
    }
    say(`${name}: ${result.base.ms.median.toFixed(0)} ms, now ${result.ours.ms.median.toFixed(0)} ms`);
    results.push(result);
  }
  return results;
}
