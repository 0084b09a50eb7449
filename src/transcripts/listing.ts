import { formatVersion } from './format.ts';
import type { ListedRecord } from './storage.ts';
import { compareTimes } from './times.ts';
import type { TranscriptInfo } from './transcript.ts';
import { compareTexts } from './whole.ts';

/** The records of each transcript as one, the transcript first that changed last. */
export function listed(records: readonly ListedRecord[]): readonly TranscriptInfo[] {
  const transcripts = new Map<string, TranscriptInfo>();
  // The last change of all records says the most about a transcript.
  const newestFirst = [...records].sort(
    (one, other) => compareTimes(other.updatedAt, one.updatedAt) || compareTexts(one.writer, other.writer),
  );
  for (const { id, sessionId, title, agent, cwd, updatedAt, bytes, version } of newestFirst) {
    const isNewer = version > formatVersion;
    const known = transcripts.get(id);
    transcripts.set(id, {
      id,
      sessionId,
      title: known?.title ?? title,
      agent: known?.agent ?? agent,
      cwd: known?.cwd ?? cwd,
      updatedAt: known?.updatedAt ?? updatedAt,
      bytes: (known?.bytes ?? 0) + bytes,
      isNewer: known?.isNewer || isNewer,
    });
  }
  return [...transcripts.values()].sort(
    (one, other) => compareTimes(other.updatedAt, one.updatedAt) || compareTexts(one.id, other.id),
  );
}
