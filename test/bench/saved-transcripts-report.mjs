import { count, megabytes, ms, seconds, table, times, verdict } from './table.mjs';

/** The targets: of a replay that is recorded, of an update, and of many transcripts. */
const mostToAlone = 2.5;
const mostUpdateUs = 50;
const mostListMs = 1000;
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
