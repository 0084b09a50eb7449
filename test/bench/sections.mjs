import { rm } from 'node:fs/promises';
import { corpora } from './corpora.mjs';
import { withCorpus, writeCorpus, writeLongLine } from './corpus-file.mjs';
import { remote } from './remote.mjs';
import { eachOf, runChild, runInTurns } from './run-child.mjs';
import { transcripts } from './saved-transcripts.mjs';
import { bundleParts, bundleSizes, importTimes } from './weight.mjs';

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

function growth({ folder, scale, say }) {
  return inOrder(['v2-chunks', 'v2-giant', 'v2-entries'], say, async (name) => {
    const short = writeCorpus(folder, name, 10_000);
    const long = writeCorpus(folder, name, 1_000_000 * scale);
    const result = { name, about: corpora[name].about, short: short.updates, long: long.updates };
    for (const client of ['floor', 'ours'])
      result[client] = await runChild('growth', { client, short, long });
    await Promise.all([rm(short.path), rm(long.path)]);
    return result;
  });
}

function longLines({ folder, runs, say }) {
  return inOrder([16, 32, 64], say, async (mebibytes) => {
    const line = writeLongLine(folder, mebibytes);
    const clients = { floor: { client: 'floor' }, ours: { client: 'ours' } };
    const found = await runInTurns(runs, clients, (job) => runChild('long-line', { ...job, line }));
    await rm(line.path);
    return { mebibytes, ...eachOf(found, 'ms') };
  });
}

function memory(context) {
  const names = ['v1-replay', 'v2-replay', 'v1-chunks', 'v2-giant', 'v2-entries'];
  return ofCorpora(context, names, async (corpus) => ({
    bytes: corpus.bytes,
    ...(await runChild('memory', { corpus })),
  }));
}

const entries = () => runChild('entries', {});

function allocations(context) {
  return ofCorpora(context, ['v1-replay', 'v2-replay', 'v1-chunks'], async (corpus) => {
    const result = { lineBytes: corpus.bytes / corpus.updates };
    for (const client of ['keeper', 'ours'])
      result[client] = (await runChild('allocations', { client, corpus })).bytesPerUpdate;
    return result;
  });
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

const backPressure = (context) =>
  withCorpus(context, 'v2-late', (corpus) => runChild('back-pressure', { corpus }));

const reading = ({ scale }) => runChild('reading', { entries: 100_000 * scale });

function bridge({ runs, scale, say }) {
  const jobs = ['one by one', 'together'].flatMap((delivery) =>
    [0, 10_000].map((count) => ({ delivery, entries: count, chunks: 10_000 * scale })),
  );
  return inOrder(jobs, say, async (job) => {
    const { it: cpuMs } = await runInTurns(runs, { it: job }, (one) => runChild('bridge', one));
    return { ...job, cpuMs };
  });
}

async function tools({ runs }) {
  const ways = ['http', 'stdio', 'acp', 'separate'];
  const jobs = Object.fromEntries(ways.map((way) => [way, { way }]));
  const found = await runInTurns(runs, jobs, (job) => runChild('tools', job));
  return ways.map((way) => ({ way, ...found[way] }));
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
  growth,
  longLines,
  memory,
  entries,
  allocations,
  responsiveness,
  backPressure,
  reading,
  bridge,
  tools,
  remote,
  transcripts,
  weight,
};
