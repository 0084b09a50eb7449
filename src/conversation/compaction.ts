import type { CompactionEntry } from '../model/conversation.ts';
import type { CompactionSummaryChunk, CompactionUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { keyOf } from './entry-index.ts';
import { patchMeta } from './meta.ts';

/** The agent shortens its context, or did. */
export function compactionUpdate(draft: Draft, update: CompactionUpdate): void {
  const place = placeOf(draft, update.compactionId);
  const entry = draft.entry(place) as CompactionEntry;
  draft.replace(place, {
    ...entry,
    status: update.status,
    summary: update.summary === undefined ? entry.summary : (update.summary ?? []),
    error: update.error === undefined ? entry.error : update.error,
    meta: patchMeta(entry.meta, update._meta),
  });
}

/** One more block of the summary. */
export function compactionSummaryChunk(draft: Draft, update: CompactionSummaryChunk): void {
  draft.appendBlock(placeOf(draft, update.compactionId), update.content);
}

function placeOf(draft: Draft, compactionId: string): number {
  return (
    draft.entries.index.findId('compaction', compactionId) ??
    draft.append({
      kind: 'compaction',
      key: keyOf('compaction', compactionId),
      compactionId,
      status: 'in_progress',
      summary: [],
      error: null,
      origin: draft.origin,
      meta: null,
    })
  );
}
