/** The measurements as Markdown, a block for each section: printed, and put into the documentation. */
export function blocks(results) {
  const made = { machine: machine(results) };
  for (const [name, block] of Object.entries(tables)) {
    if (results[name]) made[name] = block(results[name]);
  }
  return made;
}

export function report(results) {
  return `${Object.values(blocks(results)).join('\n\n')}\n`;
}

const tables = {
  replay,
  growth,
  longLines,
  memory,
  responsiveness,
  backPressure,
  reading,
  weight,
};

function machine({ machine: { node, cores, platform }, runs }) {
  return `Node ${node.slice(1)}, ${cores} cores, ${platform}. Medians of ${runs} runs, each in a process of its own; in brackets the least and the most.`;
}

const ms = ({ median, least, most }) =>
  least === most ? `${round(median)} ms` : `${round(median)} (${round(least)}–${round(most)}) ms`;
const round = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
const times = (value) => `${value.toFixed(value >= 10 ? 0 : 2)} ×`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes >= 1e8 ? 0 : 1)} MB`;
const count = (value) => value.toLocaleString('en');

function table(head, rows) {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What is aimed at: at most so many times the floor everywhere, and so many times faster than the official SDK. */
const mostToFloor = 1.5;
const leastToOfficial = { 'v1-chunks': 5, 'v1-mixed': 8, 'v2-mixed': 25 };

function verdict(met) {
  return met ? '' : ' (missed)';
}

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
      const least = leastToOfficial[result.name];
      const slow = result.runs.official < result.runs.floor ? `, ${result.runs.official} run` : '';
      return [
        `${result.name}: ${result.about}`,
        count(result.updates),
        megabytes(result.bytes),
        ms(result.ms.floor),
        ms(result.ms.keeper),
        ms(result.ms.ours),
        times(result.toFloor) + verdict(result.toFloor <= mostToFloor),
        times(result.toKeeper),
        `${ms(result.ms.official)}${slow}`,
        times(result.officialToOurs) + (least ? verdict(result.officialToOurs >= least) : ''),
        `${megabytes(result.peakBytes.ours.median)}, official ${megabytes(result.peakBytes.official.median)}`,
      ];
    }),
  );
}

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
    ['corpus', 'on the wire', 'text', 'entries', 'held after the replay', 'held after all was read'],
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

const mostHeldMs = 50;
const clientNames = { ours: 'this library', official: 'official SDK' };

function responsiveness(results) {
  return table(
    [
      'client',
      'corpus',
      'longest hold of the event loop',
      'a request meanwhile, median',
      'longest',
      'snapshots drawn',
    ],
    results.map(({ client, name, longestHoldMs, medianPingMs, longestPingMs, draws }) => [
      clientNames[client],
      name,
      ms(longestHoldMs) + (client === 'ours' ? verdict(longestHoldMs.median <= mostHeldMs) : ''),
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

const mostBytes = { '.': 36 * 1024, './conversation': 6 * 1024 };
const mostImportMs = 40;

function weight({ bundles, imports }) {
  return table(
    ['what is used', 'minified', 'gzipped', 'import, beyond the start of Node'],
    [...Object.keys(bundles), ...Object.keys(imports).filter((name) => name.startsWith('@'))].map((entry) => {
      const size = bundles[entry];
      const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
      return [
        `\`${entry}\``,
        size ? kib(size.minifiedBytes) : '–',
        size
          ? kib(size.gzippedBytes) +
            verdict(size.gzippedBytes <= (mostBytes[entry] ?? Number.POSITIVE_INFINITY))
          : '–',
        imports[entry]
          ? ms(imports[entry]) + (entry === '.' ? verdict(imports[entry].median <= mostImportMs) : '')
          : '–',
      ];
    }),
  );
}
