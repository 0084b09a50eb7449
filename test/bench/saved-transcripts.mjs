import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { corpora } from './corpora.mjs';
import { withCorpus } from './corpus-file.mjs';
import { eachOf, runChild, runInTurns } from './run-child.mjs';

/** How many updates the replays have that are recorded. */
const replayed = [6000, 60_000];

/** What a recording costs, and how fast many saved transcripts are listed and searched. */
export async function transcripts(context) {
  return {
    node: process.versions.node,
    recording: await recording(context),
    saved: await saved(context, Math.ceil(context.sessions * context.scale)),
  };
}

const ways = Object.fromEntries(['alone', 'recorded', 'appendFile'].map((way) => [way, { way }]));

async function recording(context) {
  const results = [];
  for (const count of replayed) {
    const measure = async (corpus) => {
      const found = await runInTurns(context.runs, ways, async (job) => {
        const directory = await mkdtemp(join(context.folder, 'recorded-'));
        return runChild('recorded-replay', { ...job, corpus, directory });
      });
      return {
        about: corpora['v2-replay'].about,
        updates: corpus.updates,
        ms: eachOf(found, 'ms'),
        cpuMs: eachOf(found, 'cpuMs'),
      };
    };
    results.push(await withCorpus(context, 'v2-replay', measure, count * context.scale));
  }
  return results;
}

/** How many sessions one process writes: the time of a process is limited. */
const writtenAtOnce = 50;

async function saved({ folder, runs, say }, sessions) {
  const directory = join(folder, 'saved');
  let bytes = 0;
  for (let first = 0; first < sessions; first += writtenAtOnce) {
    const count = Math.min(writtenAtOnce, sessions - first);
    bytes += (await runChild('save-transcripts', { directory, first, count, sessions })).bytes;
  }
  say(`${sessions} transcripts, ${bytes} bytes`);
  const search = await repeated(runs, { directory });
  say(`the transcripts searched: ${JSON.stringify(search)}`);
  const floor = await repeated(runs, { directory }, 'read-transcripts');
  say(`the files read: ${JSON.stringify(floor)}`);
  await rm(directory, { recursive: true });
  return { sessions, bytes, search, floor };
}

async function repeated(runs, job, measurement = 'search-transcripts') {
  return (await runInTurns(runs, { it: job }, (one) => runChild(measurement, one))).it;
}
