import { Session } from 'node:inspector/promises';
import { connectClient } from '../clients/index.mjs';

/** One sample for so many bytes that are allocated. */
const samplingInterval = 4096;

/** How many bytes a client allocates on the heap for an update of a replay, including what is collected at once. */
export async function measure({ client, corpus }) {
  const { version, sessionId, path, updates } = corpus;
  const connected = await connectClient(client, { version, histories: { [sessionId]: path }, updates });
  const inspector = new Session();
  inspector.connect();
  await inspector.post('HeapProfiler.startSampling', {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await connected.replay(sessionId);
  const { profile } = await inspector.post('HeapProfiler.stopSampling');
  await connected.close();
  return { bytesPerUpdate: bytesOf(profile.head) / updates };
}

function bytesOf({ selfSize, children }) {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
