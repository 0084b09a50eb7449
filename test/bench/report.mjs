import { remote } from './remote-report.mjs';
import { transcripts } from './saved-transcripts-report.mjs';
import { clientNames, count, megabytes, ms, seconds, tableOf, times, verdict } from './table.mjs';

/** The measurements as Markdown, a block for each section: printed, and put into the documentation. */
export function blocks(results) {
  const made = { machine: machine(results) };
  for (const [name, block] of Object.entries(tables)) {
    if (results[name]) made[name] = block(results[name]);
  }
  const replays = results.replay?.filter(({ name }) => shownFirst.includes(name)) ?? [];
  if (replays.length === shownFirst.length) made.summary = summary(replays);
  return made;
}

export function report(results) {
  return `${Object.values(blocks(results)).join('\n\n')}\n`;
}

/** Two builds side by side. A ratio within the spread of the runs is no difference. */
export function comparison({ compared, ...results }) {
  const rows = tableOf(compared, {
    corpus: ({ name }) => name,
    floor: ({ floor }) => ms(floor.ms),
    base: ({ base }) => ms(base.ms),
    now: ({ ours }) => ms(ours.ms),
    medians: ({ base, ours }) => times(ours.ms.median / base.ms.median),
    'best runs': ({ base, ours }) => times(ours.ms.least / base.ms.least),
    'CPU of the best runs': ({ base, ours }) => times(ours.cpuMs.least / base.cpuMs.least),
  });
  return `${machine(results)}\n\n${rows}`;
}

const tables = {
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

function machine({ machine: { node, cores, platform }, runs }) {
  return `Node ${node.slice(1)}, ${cores} cores, ${platform}. Medians of ${runs} runs, each in a separate process, with the minimum and the maximum in brackets.`;
}

/** The targets: a long replay takes at most so many times the time of the floor that keeps what it parsed. */
const mostToKeeper = { 'v1-long': 1.25 };
/** A replay is at least so many times faster than with the official SDK. */
const leastToOfficial = { 'v1-replay': 5, 'v2-replay': 20, 'v1-mixed': 5, 'v2-mixed': 15 };

function replay(results) {
  return tableOf(results, {
    corpus: ({ name, about }) => `${name}: ${about}`,
    updates: ({ updates }) => count(updates),
    size: ({ bytes }) => megabytes(bytes),
    floor: (result) => ms(result.ms.floor),
    'floor, kept': (result) => ms(result.ms.keeper),
    'this library': (result) => ms(result.ms.ours),
    'to the floor': ({ toFloor }) => times(toFloor),
    'to the floor, kept': ({ name, toKeeper }) =>
      times(toKeeper) + verdict(toKeeper <= (mostToKeeper[name] ?? Number.POSITIVE_INFINITY)),
    'official SDK': (result) => (result.officialToOurs ? ms(result.ms.official) : '–'),
    'faster by': ({ name, officialToOurs }) =>
      officialToOurs ? times(officialToOurs) + verdict(officialToOurs >= (leastToOfficial[name] ?? 0)) : '–',
    'peak memory': ({ peakBytes, officialToOurs }) =>
      megabytes(peakBytes.ours.median) +
      (officialToOurs ? `, official ${megabytes(peakBytes.official.median)}` : ''),
  });
}

/** The replays that the README shows: those that have the shape of recordings. */
const shownFirst = ['v1-replay', 'v2-replay'];

function summary(replays) {
  return tableOf(replays, {
    'replay of a session': ({ name }) => `version ${name.at(1)}`,
    updates: ({ updates }) => count(updates),
    size: ({ bytes }) => megabytes(bytes),
    'this library': (result) => seconds(result.ms.ours),
    'official SDK': (result) => seconds(result.ms.official),
  });
}

function firstScreen(results) {
  return tableOf(results, {
    client: ({ client }) => clientNames[client],
    corpus: ({ name }) => name,
    'answer to `initialize`': ({ connectMs }) => ms(connectMs),
    '50 entries': ({ readableMs }) => ms(readableMs),
    'the whole replay': ({ loadedMs }) => ms(loadedMs),
  });
}

function memory(results) {
  return tableOf(results, {
    corpus: ({ name, about }) => `${name}: ${about}`,
    'on the wire': ({ bytes }) => megabytes(bytes),
    text: ({ characters }) => `${(characters / 1e6).toFixed(1)} M characters`,
    entries: (result) => count(result.entries),
    'memory after the replay': ({ afterReplay }) => megabytes(afterReplay),
    'memory after reading everything': ({ afterReading }) => megabytes(afterReading),
  });
}

function responsiveness(results) {
  return tableOf(results, {
    client: ({ client }) => clientNames[client],
    corpus: ({ name }) => name,
    'longest block of the event loop': ({ longestGapMs }) => ms(longestGapMs),
    'a concurrent request, median': ({ medianPingMs }) => ms(medianPingMs),
    longest: ({ longestPingMs }) => ms(longestPingMs),
    'snapshots drawn': ({ client, draws }) => (client === 'ours' ? count(draws.median) : '–'),
  });
}

/** The target: a turn with a reader of AI SDK takes at most so many times the CPU time of the same turn with the floor. */
const mostToFloor = 1.3;

function bridge(results) {
  return tableOf(results, {
    'chunks of a turn': ({ chunks, delivery }) => `${count(chunks)}, ${delivery}`,
    'entries before': (result) => count(result.entries),
    fold: ({ cpuMs }) => ms(cpuMs.fold),
    'with a loop over the events': ({ cpuMs }) => ms(cpuMs.events),
    'with a stream of the texts': ({ cpuMs }) => ms(cpuMs.stream),
    '`toUIMessageStream`': ({ cpuMs }) => ms(cpuMs['ai-sdk']),
    'to the fold': ({ cpuMs }) => times(cpuMs['ai-sdk'].median / cpuMs.fold.median),
    'to the stream'({ cpuMs }) {
      const toFloor = cpuMs['ai-sdk'].median / cpuMs.stream.median;
      return times(toFloor) + verdict(toFloor <= mostToFloor);
    },
  });
}

const wayNames = {
  http: 'tools of the editor, `http`',
  stdio: 'tools of the editor, `stdio`',
  acp: 'tools of the editor, `acp`',
  separate: 'a separate server, stdio',
};

function tools(results) {
  return tableOf(results, {
    server: ({ way }) => wayNames[way],
    'first list of tools, first session': ({ firstListMs }) => ms(firstListMs),
    'the same, next session': ({ nextListMs }) => ms(nextListMs),
    'a call': ({ callMs }) => ms(callMs),
  });
}

function weight({ bundles, parts, imports }) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  const names = new Set([...Object.keys(bundles), ...Object.keys(imports)]);
  names.delete('bareMs');
  const sizes = tableOf([...names], {
    'what is used': (name) => `\`${name}\``,
    minified: (name) => (bundles[name] ? kib(bundles[name].minifiedBytes) : '–'),
    gzipped: (name) => (bundles[name] ? kib(bundles[name].gzippedBytes) : '–'),
    'import, beyond the start of Node': (name) => (imports[name] ? ms(imports[name]) : '–'),
  });
  const total = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const shares = tableOf(Object.entries(parts), {
    'part of `.`': ([part]) => part,
    minified: ([, bytes]) => kib(bytes),
    share: ([, bytes]) => `${((100 * bytes) / total).toFixed(0)} %`,
  });
  return `${sizes}\n\n${shares}`;
}
