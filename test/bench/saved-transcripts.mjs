import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { corpora } from './corpora.mjs';
import { writeCorpus } from './corpus-file.mjs';
import { runChild, summary } from './run-child.mjs';

/** How many updates the replays have that are recorded. */
const replayed = [6000, 60_000];

/** What a recording costs, and how fast many saved transcripts are listed and searched. */
export async function transcripts({ folder, runs, scale, sessions, say }, wanted) {
  if (!wanted) return undefined;
  return {
    node: process.versions.node,
    recording: await recording({ folder, runs, scale, say }),
    saved: await saved({ folder, runs, sessions: Math.ceil(sessions * scale), say }),
  };
}

const ways = ['alone', 'recorded', 'appendFile'];

async function recording({ folder, runs, scale, say }) {
  const results = [];
  for (const updates of replayed) {
    const corpus = writeCorpus(folder, 'v2-replay', Math.ceil(updates * scale));
    const samples = Object.fromEntries(ways.map((way) => [way, []]));
    for (let run = 0; run < runs; run++) {
      for (let turn = 0; turn < ways.length; turn++) {
        const way = ways[(run + turn) % ways.length];
        const directory = join(folder, 'recorded');
        await mkdir(directory);
        samples[way].push(await runChild('recorded-replay', { way, corpus, directory }));
        await rm(directory, { recursive: true });
      }
    }
    await rm(corpus.path);
    const middle = (key) =>
      Object.fromEntries(ways.map((way) => [way, summary(samples[way].map((sample) => sample[key]))]));
    const result = {
      about: corpora['v2-replay'].about,
      updates: corpus.updates,
      ms: middle('ms'),
      cpuMs: middle('cpuMs'),
    };
    say(`recording of ${corpus.updates} updates: ${JSON.stringify(result.cpuMs)}`);
    results.push(result);
  }
  return results;
}

/** How many sessions one process writes: the time of a process is limited. */
const writtenAtOnce = 50;

async function saved({ folder, runs, sessions, say }) {
  const directory = join(folder, 'saved');
  let bytes = 0;
  for (let first = 0; first < sessions; first += writtenAtOnce) {
    const count = Math.min(writtenAtOnce, sessions - first);
    bytes += (await runChild('save-transcripts', { directory, first, count, sessions })).bytes;
  }
  say(`${sessions} transcripts, ${bytes} bytes`);
  const without = await repeated(runs, { directory, hasIndex: false });
  say(`without the index: ${JSON.stringify(without)}`);
  const floor = await repeated(runs, { directory }, 'read-transcripts', ['searchMs']);
  say(`the files read: ${JSON.stringify(floor)}`);
  const result = { sessions, bytes, without, floor };
  // What was listed is in it, without the words.
  await rm(join(directory, 'index.sqlite'), { force: true });
  const { indexMs } = await runChild('search-transcripts', { directory, hasIndex: true });
  // Without `node:sqlite` there is no index.
  if (indexMs === null) return result;
  result.indexMs = indexMs;
  result.index = await repeated(runs, { directory, hasIndex: true });
  say(`with the index: ${JSON.stringify(result.index)}`);
  result.sqlite = await runChild('sqlite-alone', { directory, path: join(folder, 'alone.sqlite') });
  say(`SQLite alone: ${JSON.stringify(result.sqlite)}`);
  await rm(directory, { recursive: true });
  return result;
}

const searchTimes = ['listMs', 'firstHitMs', 'searchMs'];

async function repeated(runs, job, measurement = 'search-transcripts', keys = searchTimes) {
  const samples = [];
  for (let run = 0; run < runs; run++) samples.push(await runChild(measurement, job));
  return Object.fromEntries(keys.map((key) => [key, summary(samples.map((sample) => sample[key]))]));
}
