import { clientNames, count, megabytes, ms, table, times, verdict } from './table.mjs';

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
  return table(
    ['way', 'floor', 'this library', 'to the floor', 'CPU time', 'official SDK', 'CPU time', 'peak memory'],
    results.map(({ way, ms: time, cpuMs, peakBytes }) => {
      const toFloor = time.ours.median / time.floor.median;
      return [
        wayNames[way],
        ms(time.floor),
        ms(time.ours),
        times(toFloor) + verdict(toFloor <= (mostToFloor[way] ?? Number.POSITIVE_INFINITY)),
        ms(cpuMs.ours),
        ms(time.official),
        ms(cpuMs.official),
        `${megabytes(peakBytes.ours.median)}, official ${megabytes(peakBytes.official.median)}`,
      ];
    }),
  );
}

function firstScreens(results) {
  return table(
    ['client', 'way', 'connected', '50 entries after the call', 'the whole replay'],
    results.map(({ client, way, connectMs, readableMs, loadedMs }) => [
      clientNames[client],
      wayNames[way],
      ms(connectMs),
      ms(readableMs),
      ms(loadedMs),
    ]),
  );
}

function manySessions(results) {
  return table(
    [
      'client',
      'way',
      'opening all',
      'a turn in all',
      'heap of a session',
      'after its turn',
      'the process',
      'threads',
    ],
    results.map(({ client, way, sessions, openMs, promptMs, openBytes, spokenBytes, rssBytes, threads }) => [
      clientNames[client],
      wayNames[way],
      `${count(Math.round(openMs))} ms`,
      `${count(Math.round(promptMs))} ms`,
      `${(openBytes / sessions / 1000).toFixed(1)} kB`,
      `${(spokenBytes / sessions / 1000).toFixed(1)} kB`,
      megabytes(rssBytes),
      threads === undefined ? '–' : String(threads),
    ]),
  );
}
