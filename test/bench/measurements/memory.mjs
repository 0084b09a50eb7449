import assert from 'node:assert/strict';
import { connectClient } from '../clients/index.mjs';
import { digestOf } from '../transcript.mjs';

/** What a replayed session holds on the heap, beside the length of the text in it. */
export async function measure({ corpus }) {
  const { sessionId, expected } = corpus;
  const connected = await connectClient('ours', { corpus });
  const before = heldBytes();
  const { session } = await connected.replay(sessionId);
  const afterReplay = heldBytes() - before;
  assert.deepEqual(digestOf(session.conversation), expected);
  const afterReading = heldBytes() - before;
  await connected.close();
  return { afterReplay, afterReading, characters: expected.characters, entries: expected.entries };
}

/** The memory on the heap that is in use. Needs `--expose-gc`. */
export function heldBytes() {
  // Twice: the first may leave what only its finalizers let go.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
