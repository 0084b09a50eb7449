import type { CompactionEntry } from '../model/conversation.ts';
import type { CompactionSummaryChunk, CompactionUpdate } from '../model/update.ts';
import { carried, type Draft } from './draft.ts';
import { defaults } from './entry-defaults.ts';
import { keyOf } from './entry-index.ts';
import { joinTexts } from './text-blocks.ts';

/** Changes or adds a compaction of the agent's context. */
export function compactionUpdate(draft: Draft, update: CompactionUpdate): void {
  const index = findOrAppend(draft, update.compactionId);
  const entry = draft.entry(index) as CompactionEntry; // The id is in the namespace of compactions.
  draft.replace(index, {
    ...entry,
    ...carried(update, ['status', 'error']),
    summary: update.summary === undefined ? entry.summary : joinTexts(update.summary ?? []),
    meta: draft.patchMeta(entry.meta, update._meta),
  });
}

/** Appends a block to the summary of a compaction. */
export function compactionSummaryChunk(draft: Draft, update: CompactionSummaryChunk): void {
  draft.appendBlock(findOrAppend(draft, update.compactionId), update.content);
}

function findOrAppend(draft: Draft, compactionId: string): number {
  return (
    draft.entries.index.findId('compaction', compactionId) ??
    draft.append({
      kind: 'compaction',
      key: keyOf('compaction', compactionId),
      compactionId,
      status: 'in_progress',
      ...defaults.compaction,
      origin: draft.origin,
    })
  );
}
