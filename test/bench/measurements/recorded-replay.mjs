import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTranscripts } from '../../../dist/transcripts.js';
import { connectClient } from '../clients/index.mjs';
import { digestOf } from '../transcript.mjs';

/**
 * A replay, and what it costs to keep it: `recorded` by this library, or with `appendFile` for what arrived in the same
 * batches. The time ends when the session is loaded, the time of the processor when everything is written.
 */
export async function measure({ way, corpus, directory }) {
  const { sessionId, path, updates, expected } = corpus;
  const connected = await connectClient('ours', { corpus });
  const keep = await keepers[way]({ path, updates, directory });
  globalThis.gc();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const { conversation } = await connected.replay(sessionId, { onProgress: keep.onProgress });
  const ms = performance.now() - start;
  await keep.finish();
  const cpu = process.cpuUsage(cpuBefore);
  assert.deepEqual(digestOf(conversation), expected);
  await connected.close();
  return { ms, cpuMs: (cpu.user + cpu.system) / 1000 };
}

const keepers = {
  alone: () => ({ onProgress() {}, async finish() {} }),
  async recorded({ directory }) {
    const transcripts = await openTranscripts({ directory });
    let stop;
    return {
      onProgress({ session }) {
        stop ??= transcripts.record(session);
      },
      async finish() {
        await stop?.();
        await transcripts.close();
      },
    };
  },
  appendFile({ path, updates, directory }) {
    const text = readFileSync(path, 'utf8');
    const file = join(directory, 'plain.jsonl');
    let written = 0;
    let last = Promise.resolve();
    const write = (end) => {
      const part = text.slice(written, end);
      written = end;
      last = last.then(() => appendFile(file, part));
    };
    let next = performance.now();
    return {
      onProgress({ updates: seen }) {
        if (performance.now() < next) return;
        // The batches of a recording are as far apart.
        next = performance.now() + 100;
        write(Math.floor((text.length * seen) / updates));
      },
      async finish() {
        write(text.length);
        await last;
      },
    };
  },
};
