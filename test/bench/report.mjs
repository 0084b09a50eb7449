const clientNames = { ours: 'this library', official: 'official SDK' };

/** A median, with the least and the most if they differ. */
const ms = ({ median, least, most }) =>
  least === most ? `${round(median)} ms` : `${round(median)} (${round(least)}–${round(most)}) ms`;
const round = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
const seconds = ({ median }) => `${(median / 1000).toFixed(1)} s`;
const times = (value) => `${value.toFixed(value >= 10 ? 0 : 2)} ×`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes >= 1e8 ? 0 : 1)} MB`;
/** Marks a value that misses its target. */
const verdict = (isMet) => (isMet ? '' : ' (missed)');
const count = (value) => value.toLocaleString('en');

/** A table of Markdown with a row for each result. A column has its head, and what makes a cell of a result. */
function tableOf(results, columns) {
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    results.map((result) => cells.map((cell) => cell(result))),
  );
}

/** A table of Markdown. All columns but the first are numbers. */
function table(head, rows) {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const wayNames = {
  stdio: 'stdio',
  websocket: 'WebSocket',
  http1: 'streamable HTTP, HTTP/1.1',
  http2: 'streamable HTTP, HTTP/2 and TLS',
};

/** Agents on other machines: three tables. */
function remote({ updates, bytes, roundTripMs, replay, firstScreen, sessions }) {
  const [{ sessions: number, chunks }] = sessions;
  return [
    `A replay of ${count(updates)} updates, ${megabytes(bytes)}, on this machine:`,
    replays(replay),
    `The same session over a network with a round trip of ${roundTripMs} ms:`,
    firstScreens(firstScreen),
    `${count(number)} sessions over one connection, each with a turn of ${chunks} chunks, all at once:`,
    manySessions(sessions),
  ].join('\n\n');
}

/** The target: a replay over the network takes at most so many times the time of the floor. */
const mostRemoteToFloor = { websocket: 1.3, http1: 1.3 };

function replays(results) {
  return tableOf(results, {
    way: ({ way }) => wayNames[way],
    floor: (result) => ms(result.ms.floor),
    'this library': (result) => ms(result.ms.ours),
    'to the floor'(result) {
      const toFloor = result.ms.ours.median / result.ms.floor.median;
      return times(toFloor) + verdict(toFloor <= (mostRemoteToFloor[result.way] ?? Number.POSITIVE_INFINITY));
    },
    'CPU time': ({ cpuMs }) => ms(cpuMs.ours),
    'official SDK': (result) => ms(result.ms.official),
    'its CPU time': ({ cpuMs }) => ms(cpuMs.official),
    'peak memory': ({ peakBytes }) =>
      `${megabytes(peakBytes.ours.median)}, official ${megabytes(peakBytes.official.median)}`,
  });
}

function firstScreens(results) {
  return tableOf(results, {
    client: ({ client }) => clientNames[client],
    way: ({ way }) => wayNames[way],
    connected: ({ connectMs }) => ms(connectMs),
    '50 entries after the call': ({ readableMs }) => ms(readableMs),
    'the whole replay': ({ loadedMs }) => ms(loadedMs),
  });
}

function manySessions(results) {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  return tableOf(results, {
    client: ({ client }) => clientNames[client],
    way: ({ way }) => wayNames[way],
    'opening all': ({ openMs }) => `${count(Math.round(openMs))} ms`,
    'a turn in all': ({ promptMs }) => `${count(Math.round(promptMs))} ms`,
    'heap of a session': ({ openBytes, sessions }) => kilobytes(openBytes / sessions),
    'after its turn': ({ spokenBytes, sessions }) => kilobytes(spokenBytes / sessions),
    'the process': ({ rssBytes }) => megabytes(rssBytes),
    threads: ({ threads }) => (threads === undefined ? '–' : String(threads)),
  });
}

/** The targets: of a replay that is recorded, of an update, and of many transcripts. */
const mostToAlone = 2.5;
const mostUpdateUs = 50;
const mostListMs = 1000;
const leastScan = 200e6;

function transcripts({ node, recording, saved }) {
  return [
    `Measured with Node ${node}. A replay of *v2-replay*:`,
    recordings(recording),
    `${count(saved.sessions)} transcripts with ${megabytes(saved.bytes)}, in a program that has just been started:`,
    searches(saved),
  ].join('\n\n');
}

function recordings(results) {
  return table(
    ['updates', 'replay', 'recorded', 'to the replay', 'CPU time of an update more', 'with `appendFile`'],
    results.map(({ updates, ms: time, cpuMs }) => {
      const toAlone = time.recorded.median / time.alone.median;
      const us = (way) => (1000 * (cpuMs[way].median - cpuMs.alone.median)) / updates;
      return [
        count(updates),
        ms(time.alone),
        ms(time.recorded),
        times(toAlone) + verdict(toAlone <= mostToAlone),
        `${us('recorded').toFixed(1)} µs${verdict(us('recorded') <= mostUpdateUs)}`,
        `${us('appendFile').toFixed(1)} µs`,
      ];
    }),
  );
}

function searches({ bytes, search, floor }) {
  const perSecondOf = ({ median }) => (1000 * bytes) / median;
  const perSecond = perSecondOf(search.searchMs);
  const rows = [
    [
      'transcripts',
      ms(search.listMs) + verdict(search.listMs.median <= mostListMs),
      ms(search.firstHitMs),
      `${seconds(search.searchMs)}, ${megabytes(perSecond)} a second${verdict(perSecond >= leastScan)}`,
    ],
    [
      '`readFile` and `Buffer.indexOf` alone',
      '–',
      '–',
      `${seconds(floor.searchMs)}, ${megabytes(perSecondOf(floor.searchMs))} a second`,
    ],
  ];
  return table(['', 'list', 'first hit', 'search for what is not there'], rows);
}

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
  const large = Object.entries(parts).filter(([, bytes]) => bytes / total >= 0.01);
  const shares = tableOf(large, {
    'part of `.`': ([part]) => part,
    minified: ([, bytes]) => kib(bytes),
    share: ([, bytes]) => `${((100 * bytes) / total).toFixed(0)} %`,
  });
  return `${sizes}\n\n${shares}`;
}
