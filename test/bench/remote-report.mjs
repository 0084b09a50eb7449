import { clientNames, count, megabytes, ms, tableOf, times, verdict } from './table.mjs';

const wayNames = {
  stdio: 'stdio',
  websocket: 'WebSocket',
  http1: 'streamable HTTP, HTTP/1.1',
  http2: 'streamable HTTP, HTTP/2 and TLS',
};

/** Agents on other machines: three tables. */
export function remote({ updates, bytes, roundTripMs, replay, firstScreen, sessions }) {
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
const mostToFloor = { websocket: 1.3, http1: 1.3 };

function replays(results) {
  return tableOf(results, {
    way: ({ way }) => wayNames[way],
    floor: (result) => ms(result.ms.floor),
    'this library': (result) => ms(result.ms.ours),
    'to the floor'(result) {
      const toFloor = result.ms.ours.median / result.ms.floor.median;
      return times(toFloor) + verdict(toFloor <= (mostToFloor[result.way] ?? Number.POSITIVE_INFINITY));
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
