import { rm } from 'node:fs/promises';
import { corpora } from './corpora.mjs';
import { writeCorpus, writeLongLine } from './corpus-file.mjs';
import { remote } from './remote.mjs';
import { runChild, summary } from './run-child.mjs';
import { transcripts } from './saved-transcripts.mjs';
import { bundleParts, bundleSizes, importTimes } from './weight.mjs';

/** What the suite measures, in the order in which it does. Each gives its results, or nothing if it was not asked. */
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

const clients = ['floor', 'keeper', 'ours', 'official'];

async function replay({ folder, runs, scale, wants, say }) {
  const results = [];
  for (const [name, { version, updates, about, withoutOfficial }] of Object.entries(corpora)) {
    if (!wants(name)) continue;
    const corpus = writeCorpus(folder, name, Math.ceil(updates * scale));
    const samples = Object.fromEntries(clients.map((client) => [client, []]));
    for (let run = 0; run < runs; run++) {
      // In turns, and each time another one first: what else the machine does hits all alike.
      for (let turn = 0; turn < clients.length; turn++) {
        const client = clients[(run + turn) % clients.length];
        // The official SDK takes most of the time, and its distance is far beyond the spread of the runs.
        if (client === 'official' && (run > 0 || withoutOfficial)) continue;
        const sample = await runChild('replay', { client, corpus });
        say(`${name} ${client}: ${sample.ms.toFixed(0)} ms`);
        samples[client].push(sample);
      }
    }
    await rm(corpus.path);
    const ms = of(samples, ({ ms: time }) => time);
    results.push({
      name,
      version,
      about,
      updates: corpus.updates,
      bytes: corpus.bytes,
      ms,
      peakBytes: of(samples, ({ peakBytes }) => peakBytes),
      toFloor: ms.ours.median / ms.floor.median,
      toKeeper: ms.ours.median / ms.keeper.median,
      ...(!withoutOfficial && { officialToOurs: ms.official.median / ms.ours.median }),
    });
  }
  return results.length > 0 ? results : undefined;
}

function of(samples, pick) {
  return Object.fromEntries(clients.map((client) => [client, summary(samples[client].map(pick))]));
}

/** So many entries fill a screen. */
const firstEntries = 50;

async function firstScreen({ folder, runs, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const name of ['v1-replay', 'v2-replay']) {
    const corpus = writeCorpus(folder, name, Math.ceil(corpora[name].updates * scale));
    const samples = { ours: [], official: [] };
    for (let run = 0; run < runs; run++) {
      for (const client of Object.keys(samples)) {
        if (client === 'official' && run > 0) continue;
        samples[client].push(await runChild('first-screen', { client, corpus, entries: firstEntries }));
      }
    }
    await rm(corpus.path);
    for (const [client, all] of Object.entries(samples)) {
      const result = { client, name };
      for (const key of Object.keys(all[0])) result[key] = summary(all.map((sample) => sample[key]));
      say(`first screen ${client} ${name}: ${result.readableMs.median.toFixed(1)} ms`);
      results.push(result);
    }
  }
  return results;
}

async function growth({ folder, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const name of ['v2-chunks', 'v2-giant', 'v2-entries']) {
    const short = writeCorpus(folder, name, 10_000);
    const long = writeCorpus(folder, name, 1_000_000 * scale);
    const result = { name, about: corpora[name].about, short: short.updates, long: long.updates };
    for (const client of ['floor', 'ours']) {
      result[client] = await runChild('growth', { client, short, long });
      say(`growth ${name} ${client}: ${JSON.stringify(result[client])}`);
    }
    await Promise.all([rm(short.path), rm(long.path)]);
    results.push(result);
  }
  return results;
}

async function longLines({ folder, runs, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const mebibytes of [16, 32, 64]) {
    const line = writeLongLine(folder, mebibytes);
    const samples = { floor: [], ours: [] };
    for (let run = 0; run < runs; run++) {
      for (const client of ['floor', 'ours']) {
        samples[client].push((await runChild('long-line', { client, line })).ms);
      }
    }
    await rm(line.path);
    const result = { mebibytes, floor: summary(samples.floor), ours: summary(samples.ours) };
    say(`one line of ${mebibytes} MiB: ${result.ours.median.toFixed(0)} ms`);
    results.push(result);
  }
  return results;
}

async function memory({ folder, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const name of ['v1-replay', 'v2-replay', 'v1-chunks', 'v2-giant', 'v2-entries']) {
    const corpus = writeCorpus(folder, name, Math.ceil(corpora[name].updates * scale));
    const held = await runChild('memory', { corpus });
    await rm(corpus.path);
    say(`memory ${name}: ${JSON.stringify(held)}`);
    results.push({ name, about: corpora[name].about, bytes: corpus.bytes, ...held });
  }
  return results;
}

async function entries({ say }, wanted) {
  if (!wanted) return undefined;
  const result = await runChild('entries', {});
  say(`entries: ${JSON.stringify(result)}`);
  return result;
}

async function allocations({ folder, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const name of ['v1-replay', 'v2-replay', 'v1-chunks']) {
    const corpus = writeCorpus(folder, name, Math.ceil(corpora[name].updates * scale));
    const result = { name, about: corpora[name].about, lineBytes: corpus.bytes / corpus.updates };
    for (const client of ['keeper', 'ours']) {
      result[client] = (await runChild('allocations', { client, corpus })).bytesPerUpdate;
    }
    await rm(corpus.path);
    say(`allocations ${name}: ${JSON.stringify(result)}`);
    results.push(result);
  }
  return results;
}

async function responsiveness({ folder, runs, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const [client, name] of [
    ['ours', 'v1-replay'],
    ['ours', 'v2-replay'],
    ['ours', 'v1-mixed'],
    ['ours', 'v2-mixed'],
    ['ours', 'v2-entries'],
    ['official', 'v1-mixed'],
  ]) {
    const corpus = writeCorpus(folder, name, Math.ceil(corpora[name].updates * scale));
    const samples = [];
    for (let run = 0; run < runs; run++) samples.push(await runChild('responsiveness', { client, corpus }));
    await rm(corpus.path);
    const middle = (key) => summary(samples.map((sample) => sample[key]));
    const result = {
      client,
      name,
      updates: corpus.updates,
      longestHoldMs: middle('longestGapMs'),
      longestDelayMs: middle('longestDelayMs'),
      medianPingMs: middle('medianPingMs'),
      longestPingMs: middle('longestPingMs'),
      draws: middle('draws'),
    };
    say(`responsiveness ${client} ${name}: held ${result.longestHoldMs.median.toFixed(1)} ms`);
    results.push(result);
  }
  return results;
}

async function backPressure({ folder, scale, say }, wanted) {
  if (!wanted) return undefined;
  const corpus = writeCorpus(folder, 'v2-late', Math.ceil(corpora['v2-late'].updates * scale));
  const result = await runChild('back-pressure', { corpus });
  await rm(corpus.path);
  say(`back-pressure: ${JSON.stringify(result)}`);
  return result;
}

async function reading({ scale, say }, wanted) {
  if (!wanted) return undefined;
  const result = await runChild('reading', { entries: 100_000 * scale });
  say(`reading: ${JSON.stringify(result)}`);
  return result;
}

async function bridge({ runs, scale, say }, wanted) {
  if (!wanted) return undefined;
  const results = [];
  for (const delivery of ['one by one', 'together']) {
    for (const entries of [0, 10_000]) {
      const job = { delivery, entries, chunks: 10_000 * scale };
      const samples = [];
      for (let run = 0; run < runs; run++) samples.push(await runChild('bridge', job));
      const ways = Object.keys(samples[0]);
      const middles = ways.map((way) => [way, summary(samples.map((sample) => sample[way]))]);
      const cpuMs = Object.fromEntries(middles);
      say(`bridge, ${entries} entries, ${delivery}: ${JSON.stringify(cpuMs)}`);
      results.push({ ...job, cpuMs });
    }
  }
  return results;
}

async function tools({ runs, say }, wanted) {
  if (!wanted) return undefined;
  const ways = ['http', 'stdio', 'acp', 'separate'];
  const samples = Object.fromEntries(ways.map((way) => [way, []]));
  for (let run = 0; run < runs; run++) {
    // In turns, so that what else the machine does hits all alike.
    for (const way of ways) samples[way].push(await runChild('tools', { way }));
  }
  return ways.map((way) => {
    const result = { way };
    for (const key of Object.keys(samples[way][0])) {
      result[key] = summary(samples[way].map((sample) => sample[key]));
    }
    say(
      `tools ${way}: list ${result.firstListMs.median.toFixed(0)} ms, call ${result.callMs.median.toFixed(2)} ms`,
    );
    return result;
  });
}

async function weight({ say }, wanted) {
  if (!wanted) return undefined;
  const result = {
    bundles: await bundleSizes(),
    parts: await bundleParts(),
    imports: await importTimes(),
  };
  say(`weight: ${JSON.stringify(result)}`);
  return result;
}
