import assert from 'node:assert/strict';
import { connectClient } from '../clients/index.mjs';

/** How long a user waits: for the answer to `initialize`, and in a load for the first entries of the transcript. */
export async function measure({ client, corpus, entries, remote }) {
  const started = performance.now();
  const connected = await connectClient(client, { corpus, remote });
  const connectMs = performance.now() - started;
  const asked = performance.now();
  let readableMs;
  const onEntries = (count) => {
    if (count >= entries) readableMs ??= performance.now() - asked;
  };
  await connected.replay(corpus.sessionId, { onEntries });
  const loadedMs = performance.now() - asked;
  await connected.close();
  assert.ok(readableMs !== undefined);
  return { connectMs, readableMs, loadedMs };
}
