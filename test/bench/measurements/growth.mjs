import assert from 'node:assert/strict';
import { connectClient } from '../clients/index.mjs';
import { digestOf } from '../transcript.mjs';

const warmUps = 20;
const repetitions = 20;

/** What an update costs in a short replay and in a long one, both once the code is compiled. */
export async function measure({ client, short, long }) {
  const connected = await connectClient(client, {
    version: short.version,
    histories: { [short.sessionId]: short.path, [long.sessionId]: long.path },
    updates: short.updates,
  });
  const timed = async ({ sessionId, updates, expected }) => {
    globalThis.gc();
    const start = performance.now();
    const replayed = await connected.replay(sessionId);
    const ms = performance.now() - start;
    if (replayed.conversation) assert.deepEqual(digestOf(replayed.conversation), expected);
    else assert.equal(replayed.updates, updates);
    return (ms * 1000) / updates;
  };
  for (let run = 0; run < warmUps; run++) await timed(short);
  const shortRuns = [];
  for (let run = 0; run < repetitions; run++) shortRuns.push(await timed(short));
  const longUs = await timed(long);
  await connected.close();
  shortRuns.sort((a, b) => a - b);
  return { shortUs: shortRuns[repetitions / 2], longUs };
}
