import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTranscripts } from '../../../dist/transcripts.js';

const ways = { library: searchWithIndex, files: readFiles };

/** What a program that has just been started waits for, in one of the ways. */
export const measure = ({ way, directory }) => ways[way](directory);

/** The list, the first hit and a whole search. */
async function searchWithIndex(directory) {
  const transcripts = await openTranscripts({ directory });
  const firstHit = async (text) => {
    for await (const hit of transcripts.search(text)) return hit;
    return undefined;
  };
  const timed = async (task) => {
    const start = performance.now();
    const result = await task();
    return [performance.now() - start, result];
  };
  const list = async () => {
    let count = 0;
    for await (const _ of transcripts.list()) count++;
    return count;
  };
  const [listMs] = await timed(list);
  const [firstHitMs, hit] = await timed(() => firstHit('velvet xylo'));
  assert.equal(hit?.text.slice(hit.match.start, hit.match.end), 'velvet xylo');
  const [searchMs, other] = await timed(() => firstHit('velvet violin'));
  assert.equal(other, undefined);
  await transcripts.close();
  return { listMs, firstHitMs, searchMs };
}

/** The floor of a search without the index: each file is read, and looked through once for other words. */
async function readFiles(directory) {
  const start = performance.now();
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.jsonl')) continue;
    const bytes = await readFile(join(directory, name));
    if (bytes.indexOf('velvet violin') >= 0) throw new Error(`${name} has the words.`);
  }
  return { searchMs: performance.now() - start };
}
