import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient } from '../clients/index.mjs';

const pingEveryMs = 20;

/** How long an editor stands still while a replay comes in, and how long its other requests to that agent take. */
export async function measure({ client, corpus }) {
  const connected = await connectClient(client, { corpus });
  const ping = connected.ping ?? (() => connected.connection.request('_bench/ping', {}));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const gaps = watchGaps();
  const pings = watchPings(ping);
  delay.enable();
  let draws = 0;
  let session;
  // What an editor does: it reads the transcript again after each change.
  const onProgress = (progress) => {
    if (session) return;
    session = progress.session;
    session.store.subscribe(() => {
      if (session.conversation.entries.length > 0) draws++;
    });
  };
  await connected.replay(corpus.sessionId, { onProgress });
  delay.disable();
  const longestGapMs = gaps.stop();
  const latenciesMs = await pings.stop();
  if (client === 'ours') assert.ok(draws > 0);
  await connected.close();
  latenciesMs.sort((a, b) => a - b);
  return {
    longestGapMs,
    longestDelayMs: delay.max / 1e6,
    pings: latenciesMs.length,
    medianPingMs: latenciesMs[Math.floor(latenciesMs.length / 2)],
    longestPingMs: latenciesMs.at(-1),
    draws,
  };
}

/** The longest time between two turns of the event loop. */
function watchGaps() {
  let longest = 0;
  let last = performance.now();
  let watching = true;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      watching = false;
      return longest;
    },
  };
}

/** A request that has nothing to do with the replay, again and again. */
function watchPings(ping) {
  const latenciesMs = [];
  let watching = true;
  const done = (async () => {
    while (watching) {
      const start = performance.now();
      await ping();
      latenciesMs.push(performance.now() - start);
      await sleep(pingEveryMs);
    }
  })();
  return {
    async stop() {
      watching = false;
      await done;
      return latenciesMs;
    },
  };
}
