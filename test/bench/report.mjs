import { remote } from './remote-report.mjs';
import { transcripts } from './saved-transcripts-report.mjs';
import { clientNames, count, megabytes, ms, round, seconds, table, times, verdict } from './table.mjs';

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
  const rows = compared.map(({ name, floor, base, ours }) => [
    name,
    ms(floor.ms),
    ms(base.ms),
    ms(ours.ms),
    times(ours.ms.median / base.ms.median),
    times(ours.ms.least / base.ms.least),
    times(ours.cpuMs.least / base.cpuMs.least),
  ]);
  const head = ['corpus', 'floor', 'base', 'now', 'medians', 'best runs', 'CPU of the best runs'];
  return `${machine(results)}\n\n${table(head, rows)}`;
}

const tables = {
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

function machine({ machine: { node, cores, platform }, runs }) {
  return `Node ${node.slice(1)}, ${cores} cores, ${platform}. Medians of ${runs} runs, each in a separate process, with the minimum and the maximum in brackets.`;
}

/** The targets: a long replay takes at most so many times the time of the floor that keeps what it parsed. */
const mostToKeeper = { 'v1-long': 1.25 };
/** A replay is at least so many times faster than with the official SDK. */
const leastToOfficial = { 'v1-replay': 5, 'v2-replay': 20, 'v1-mixed': 5, 'v2-mixed': 15 };

function replay(results) {
  return table(
    [
      'corpus',
      'updates',
      'size',
      'floor',
      'floor, kept',
      'this library',
      'to the floor',
      'to the floor, kept',
      'official SDK',
      'faster by',
      'peak memory',
    ],
    results.map((result) => {
      const most = mostToKeeper[result.name] ?? Number.POSITIVE_INFINITY;
      const least = leastToOfficial[result.name] ?? 0;
      const { officialToOurs, peakBytes } = result;
      return [
        `${result.name}: ${result.about}`,
        count(result.updates),
        megabytes(result.bytes),
        ms(result.ms.floor),
        ms(result.ms.keeper),
        ms(result.ms.ours),
        times(result.toFloor),
        times(result.toKeeper) + verdict(result.toKeeper <= most),
        officialToOurs ? ms(result.ms.official) : '–',
        officialToOurs ? times(officialToOurs) + verdict(officialToOurs >= least) : '–',
        megabytes(peakBytes.ours.median) +
          (officialToOurs ? `, official ${megabytes(peakBytes.official.median)}` : ''),
      ];
    }),
  );
}

/** The replays that the README shows: those that have the shape of recordings. */
const shownFirst = ['v1-replay', 'v2-replay'];

function summary(replays) {
  return table(
    ['replay of a session', 'updates', 'size', 'this library', 'official SDK'],
    replays.map(({ name, updates, bytes, ms: { ours, official } }) => [
      `version ${name.at(1)}`,
      count(updates),
      megabytes(bytes),
      seconds(ours),
      seconds(official),
    ]),
  );
}

function firstScreen(results) {
  return table(
    ['client', 'corpus', 'answer to `initialize`', '50 entries', 'the whole replay'],
    results.map(({ client, name, connectMs, readableMs, loadedMs }) => [
      clientNames[client],
      name,
      ms(connectMs),
      ms(readableMs),
      ms(loadedMs),
    ]),
  );
}

/** The target: an update of a long replay costs at most so many times as much as one of a short replay. */
const mostGrowth = 1.2;

function growth(results) {
  return table(
    ['corpus', 'an update of 10,000', 'an update of a long replay', 'growth', 'growth of the floor'],
    results.map(({ about, long, ours, floor }) => {
      const grown = ours.longUs / ours.shortUs;
      return [
        about,
        `${ours.shortUs.toFixed(2)} µs`,
        `${ours.longUs.toFixed(2)} µs, of ${count(long)}`,
        times(grown) + verdict(grown <= mostGrowth),
        times(floor.longUs / floor.shortUs),
      ];
    }),
  );
}

function longLines(results) {
  return table(
    ['one line of', 'floor', 'this library', 'for each MiB'],
    results.map(({ mebibytes, floor, ours }) => [
      `${mebibytes} MiB`,
      ms(floor),
      ms(ours),
      `${round(ours.median / mebibytes)} ms`,
    ]),
  );
}

function memory(results) {
  return table(
    [
      'corpus',
      'on the wire',
      'text',
      'entries',
      'memory after the replay',
      'memory after reading everything',
    ],
    results.map(({ name, about, bytes, characters, entries, afterReplay, afterReading }) => [
      `${name}: ${about}`,
      megabytes(bytes),
      `${(characters / 1e6).toFixed(1)} M characters`,
      count(entries),
      megabytes(afterReplay),
      megabytes(afterReading),
    ]),
  );
}

function entries(results) {
  return table(
    ['kind of entry', 'text', 'memory of an entry', 'beyond its text'],
    results.map(({ kind, characters, bytesPerEntry }) => [
      kind,
      `${characters} characters`,
      `${bytesPerEntry.toFixed(0)} bytes`,
      `${(bytesPerEntry - characters).toFixed(0)} bytes`,
    ]),
  );
}

function allocations(results) {
  return table(
    ['corpus', 'a line', 'allocated for an update: floor, kept', 'this library', 'beyond the floor'],
    results.map(({ name, about, lineBytes, keeper, ours }) => [
      `${name}: ${about}`,
      ...[lineBytes, keeper, ours, ours - keeper].map((bytes) => `${count(Math.round(bytes))} bytes`),
    ]),
  );
}

function responsiveness(results) {
  return table(
    [
      'client',
      'corpus',
      'longest block of the event loop',
      'a concurrent request, median',
      'longest',
      'snapshots drawn',
    ],
    results.map(({ client, name, longestGapMs, medianPingMs, longestPingMs, draws }) => [
      clientNames[client],
      name,
      ms(longestGapMs),
      ms(medianPingMs),
      ms(longestPingMs),
      client === 'ours' ? count(draws.median) : '–',
    ]),
  );
}

function backPressure({ received, mostQueued, grownBytes }) {
  return `Of ${megabytes(received)}, at most ${(mostQueued / 1024).toFixed(0)} KiB had been read and not yet handled at any time. The process grew by ${megabytes(grownBytes)}.`;
}

function reading({ entries, readMs, findMs }) {
  return `Of ${count(entries)} entries one changed: reading the snapshot took ${round(readMs.median)} ms (at most ${round(readMs.longest)}), finding the entry ${round(findMs.median)} ms (at most ${round(findMs.longest)}).`;
}

/** The target: a turn with a reader of AI SDK takes at most so many times the CPU time of the same turn with the floor. */
const mostToFloor = 1.3;

function bridge(results) {
  return table(
    [
      'chunks of a turn',
      'entries before',
      'fold',
      'with a loop over the events',
      'with a stream of the texts',
      '`toUIMessageStream`',
      'to the fold',
      'to the stream',
    ],
    results.map(({ chunks, delivery, entries, cpuMs }) => {
      const toFold = cpuMs['ai-sdk'].median / cpuMs.fold.median;
      const toFloor = cpuMs['ai-sdk'].median / cpuMs.stream.median;
      return [
        `${count(chunks)}, ${delivery}`,
        count(entries),
        ms(cpuMs.fold),
        ms(cpuMs.events),
        ms(cpuMs.stream),
        ms(cpuMs['ai-sdk']),
        times(toFold),
        times(toFloor) + verdict(toFloor <= mostToFloor),
      ];
    }),
  );
}

const wayNames = {
  http: 'tools of the editor, `http`',
  stdio: 'tools of the editor, `stdio`',
  acp: 'tools of the editor, `acp`',
  separate: 'a separate server, stdio',
};

function tools(results) {
  return table(
    ['server', 'first list of tools, first session', 'the same, next session', 'a call'],
    results.map(({ way, firstListMs, nextListMs, callMs }) => [
      wayNames[way],
      ms(firstListMs),
      ms(nextListMs),
      ms(callMs),
    ]),
  );
}

function weight({ bundles, parts, imports }) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  const entries = table(
    ['what is used', 'minified', 'gzipped', 'import, beyond the start of Node'],
    [...new Set([...Object.keys(bundles), ...Object.keys(imports)])]
      .filter((name) => name !== 'bareMs')
      .map((entry) => {
        const size = bundles[entry];
        return [
          `\`${entry}\``,
          size ? kib(size.minifiedBytes) : '–',
          size ? kib(size.gzippedBytes) : '–',
          imports[entry] ? ms(imports[entry]) : '–',
        ];
      }),
  );
  const total = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const shares = table(
    ['part of `.`', 'minified', 'share'],
    Object.entries(parts).map(([part, bytes]) => [
      part,
      kib(bytes),
      `${((100 * bytes) / total).toFixed(0)} %`,
    ]),
  );
  return `${entries}\n\n${shares}`;
}
