import { closeSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { corpora, createCorpus } from './corpora.mjs';

const batchBytes = 4 * 1024 * 1024;

/** Writes a corpus as the lines an agent sends, piece by piece, and says what it is and what a client must make of it. */
export function writeCorpus(folder, name, count = corpora[name].updates) {
  const path = join(folder, `${name}-${count}.ndjson`);
  const sessionId = `sess_7d1c5f0e2b_${count}`;
  const file = openSync(path, 'w');
  const { updates, transcript } = createCorpus(name, count);
  let made = 0;
  let bytes = 0;
  let batch = '';
  const flush = () => {
    bytes += writeSync(file, batch);
    batch = '';
  };
  for (const update of updates) {
    batch += lineOf(sessionId, update);
    made++;
    if (batch.length > batchBytes) flush();
  }
  flush();
  closeSync(file);
  const { version } = corpora[name];
  return { name, version, path, sessionId, updates: made, bytes, expected: transcript.digest() };
}

/** Writes a corpus for as long as it is used. Default: all of its updates, by the scale of this run. */
export async function withCorpus({ folder, scale }, name, use, count = corpora[name].updates * scale) {
  const corpus = writeCorpus(folder, name, Math.ceil(count));
  try {
    return await use(corpus);
  } finally {
    await rm(corpus.path);
  }
}

function lineOf(sessionId, update) {
  const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
  return `${JSON.stringify(message)}\n`;
}
