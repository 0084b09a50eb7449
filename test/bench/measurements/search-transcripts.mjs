import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openTranscripts } from '../../../dist/transcripts.js';

/**
 * The list, the first hit and a whole search, as a program that has just been started sees them. The first time with an
 * index makes it, and `indexMs` is the time of that; `null` if this Node has no SQLite.
 */
export async function measure({ directory, hasIndex }) {
  // As in a version of Node without `node:sqlite`.
  if (!hasIndex) process.getBuiltinModule = undefined;
  const isNew = !existsSync(join(directory, 'index.sqlite'));
  let transcripts = await openTranscripts({ directory });
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
  let indexMs = null;
  if (hasIndex && isNew) {
    [indexMs] = await timed(() => firstHit('velvet'));
    if (!existsSync(join(directory, 'index.sqlite'))) return { indexMs: null };
  }
  await transcripts.close();
  transcripts = await openTranscripts({ directory });
  const [listMs] = await timed(list);
  const [firstHitMs, hit] = await timed(() => firstHit('velvet xylo'));
  assert.equal(hit?.text.slice(hit.match.start, hit.match.end), 'velvet xylo');
  const [searchMs, other] = await timed(() => firstHit('velvet violin'));
  assert.equal(other, undefined);
  await transcripts.close();
  return { indexMs, listMs, firstHitMs, searchMs };
}
