import assert from 'node:assert/strict';
import { openTranscripts } from '../../../dist/transcripts.js';

/** The list, the first hit and a whole search, as a program that has just been started sees them. */
export async function measure({ directory }) {
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
