import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { corpora, withCorpus } from './corpora.mjs';
import { remote } from './remote.mjs';
import { eachOf, runChild, runInTurns } from './run-child.mjs';
import { bundleParts, bundleSizes, importTimes } from './weight.mjs';

/** How many updates the replays have that are recorded. */
const replayed = [6000, 60_000];

/** What a recording costs, and how fast many saved transcripts are listed and searched. */
async function transcripts(context) {
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
  const searches = { library: { way: 'library', directory }, files: { way: 'files', directory } };
  const found = await runInTurns(runs, searches, (job) => runChild('search-transcripts', job));
  say(`the transcripts searched, and the files read: ${JSON.stringify(found)}`);
  await rm(directory, { recursive: true });
  return { sessions, bytes, search: found.library, floor: found.files };
}

/** Measures one after the other, and says what was found. */
async function inOrder(items, say, measure) {
  const results = [];
  for (const item of items) {
    const result = await measure(item);
    say(JSON.stringify(result));
    results.push(result);
  }
  return results;
}

/** The same with a corpus of each name. */
function ofCorpora(context, names, measure) {
  return inOrder(names, context.say, (name) =>
    withCorpus(context, name, async (corpus) => ({
      name,
      about: corpora[name].about,
      ...(await measure(corpus)),
    })),
  );
}

const official = { client: 'official' };

function replay(context) {
  const names = Object.keys(corpora).filter(context.wants);
  return ofCorpora(context, names, async (corpus) => {
    const { version, withoutOfficial } = corpora[corpus.name];
    const clients = {
      floor: { client: 'floor' },
      keeper: { client: 'keeper' },
      ours: { client: 'ours' },
      ...(!withoutOfficial && { official }),
    };
    const found = await runInTurns(context.runs, clients, (job) => runChild('replay', { ...job, corpus }));
    const ms = eachOf(found, 'ms');
    return {
      version,
      updates: corpus.updates,
      bytes: corpus.bytes,
      ms,
      peakBytes: eachOf(found, 'peakBytes'),
      toFloor: ms.ours.median / ms.floor.median,
      toKeeper: ms.ours.median / ms.keeper.median,
      ...(ms.official && { officialToOurs: ms.official.median / ms.ours.median }),
    };
  });
}

/** So many entries fill a screen. */
const firstEntries = 50;

async function firstScreen(context) {
  const found = await ofCorpora(context, ['v1-replay', 'v2-replay'], (corpus) =>
    runInTurns(context.runs, { ours: { client: 'ours' }, official }, (job) =>
      runChild('first-screen', { ...job, corpus, entries: firstEntries }),
    ),
  );
  return found.flatMap(({ name, about: _, ...clients }) =>
    Object.entries(clients).map(([client, times]) => ({ client, name, ...times })),
  );
}

function memory(context) {
  const names = ['v1-replay', 'v2-replay', 'v1-chunks', 'v2-giant', 'v2-entries'];
  return ofCorpora(context, names, async (corpus) => ({
    bytes: corpus.bytes,
    ...(await runChild('memory', { corpus })),
  }));
}

async function responsiveness(context) {
  const measure = (client, names) =>
    ofCorpora(context, names, async (corpus) => {
      const { it } = await runInTurns(context.runs, { it: { client } }, (job) =>
        runChild('responsiveness', { ...job, corpus }),
      );
      return { client, updates: corpus.updates, ...it };
    });
  return [
    ...(await measure('ours', ['v1-replay', 'v2-replay', 'v1-mixed', 'v2-mixed', 'v2-entries'])),
    ...(await measure('official', ['v1-mixed'])),
  ];
}

function bridge({ runs, scale, say }) {
  const jobs = ['one by one', 'together'].flatMap((delivery) =>
    [0, 10_000].map((count) => ({ delivery, entries: count, chunks: 10_000 * scale })),
  );
  return inOrder(jobs, say, async (job) => {
    const { it: cpuMs } = await runInTurns(runs, { it: job }, (one) => runChild('bridge', one));
    return { ...job, cpuMs };
  });
}

const weight = async () => ({
  bundles: await bundleSizes(),
  parts: await bundleParts(),
  imports: await importTimes(),
});

/** What the suite measures, in the order in which it does. */
export const sections = {
  replay,
  firstScreen,
  memory,
  responsiveness,
  bridge,
  remote,
  transcripts,
  weight,
};
