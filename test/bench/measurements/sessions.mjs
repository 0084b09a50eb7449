import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connectClient } from '../clients/index.mjs';
import { heldBytes } from './memory.mjs';

/** What sessions over one connection hold, open and after a turn with so many chunks of text in each. */
export async function measure({ client, sessions, chunks, remote }) {
  const connected = await connectClient(client, { remote });
  const heapBefore = heldBytes();
  const started = performance.now();
  const opened = await Promise.all(Array.from({ length: sessions }, () => connected.open()));
  const openMs = performance.now() - started;
  const openBytes = heldBytes() - heapBefore;
  const asked = performance.now();
  await Promise.all(opened.map((session) => session.prompt(String(chunks))));
  const promptMs = performance.now() - asked;
  for (const { sessionId, text } of opened) {
    const said = Array.from({ length: chunks }, (_, chunk) => `${sessionId} says ${chunk}, and goes on. `);
    assert.equal(text(), said.join(''));
  }
  const spokenBytes = heldBytes() - heapBefore;
  const rssBytes = process.memoryUsage.rss();
  // Known on Linux only.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').length : undefined;
  await connected.close();
  return { openMs, openBytes, promptMs, spokenBytes, rssBytes, threads };
}
