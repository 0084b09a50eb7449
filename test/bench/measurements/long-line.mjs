import assert from 'node:assert/strict';
import { connectClient } from '../clients/index.mjs';

/** How long one line of many MiB takes to become text in a transcript. */
export async function measure({ client, line }) {
  const { version, sessionId, path, characters, updates } = line;
  const connected = await connectClient(client, { version, histories: { [sessionId]: path }, updates });
  const start = performance.now();
  const replayed = await connected.replay(sessionId);
  const ms = performance.now() - start;
  if (replayed.entries) assert.equal(replayed.entries[0].content[0].text.length, characters);
  await connected.close();
  return { ms };
}
