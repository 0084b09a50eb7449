import assert from 'node:assert/strict';
import { connectClient } from '../clients/index.mjs';
import { digestOf } from '../transcript.mjs';

/** Time and memory from asking for a replay to having it: folded and readable, or, elsewhere, handed over. */
export async function measure({ client, corpus, build, remote }) {
  const { sessionId, updates, expected } = corpus;
  const connected = await connectClient(client, { corpus, remote, ...(build && { build }) });
  globalThis.gc();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const replayed = await connected.replay(sessionId);
  const ms = performance.now() - start;
  const cpu = process.cpuUsage(cpuBefore);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  if (replayed.conversation) {
    assert.deepEqual(connected.problems, []);
    assert.deepEqual(digestOf(replayed.conversation), expected);
  } else assert.equal(replayed.updates, updates);
  await connected.close();
  return { ms, cpuMs: (cpu.user + cpu.system) / 1000, peakBytes };
}
