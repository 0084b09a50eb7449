import { corpora } from './corpora.mjs';
import { withCorpus } from './corpus-file.mjs';
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

const official = { client: 'official', isSlow: true };

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
  memory,
  responsiveness,
  bridge,
  tools,
  remote,
  transcripts,
  weight,
};
