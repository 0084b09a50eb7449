import { count, megabytes, ms, round, seconds, table, times, verdict } from './table.mjs';

/** The targets: of a replay that is recorded, of an update, and of many transcripts. */
const mostToAlone = 2.5;
const mostUpdateUs = 50;
const mostListMs = 150;
const mostFirstHitMs = 300;
const leastScan = 200e6;

export function transcripts({ node, recording, saved }) {
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

function searches({ bytes, without, floor, index, indexMs, sqlite }) {
  const perSecondOf = ({ median }) => (1000 * bytes) / median;
  const perSecond = perSecondOf(without.searchMs);
  const one = (value) => `${round(value)} ms`;
  const rows = [
    [
      'without the index',
      ms(without.listMs),
      ms(without.firstHitMs),
      `${seconds(without.searchMs)}, ${megabytes(perSecond)} a second${verdict(perSecond >= leastScan)}`,
      '–',
    ],
    [
      '`readFile` and `Buffer.indexOf` alone',
      '–',
      '–',
      `${seconds(floor.searchMs)}, ${megabytes(perSecondOf(floor.searchMs))} a second`,
      '–',
    ],
  ];
  if (index)
    rows.push([
      'with the index',
      ms(index.listMs) + verdict(index.listMs.median <= mostListMs),
      ms(index.firstHitMs) + verdict(index.firstHitMs.median <= mostFirstHitMs),
      ms(index.searchMs),
      `${round(indexMs / 1000)} s, once`,
    ]);
  if (sqlite)
    rows.push([
      '`node:sqlite` alone',
      one(sqlite.listMs),
      one(sqlite.firstHitMs),
      '–',
      `${round(sqlite.writeMs / 1000)} s`,
    ]);
  return table(['', 'list', 'first hit', 'search for what is not there', 'made in'], rows);
}
