import { formatVersion } from './format.ts';
import type { ListedRecord, TranscriptFilter } from './storage.ts';
import { compareTimes } from './times.ts';
import type { TranscriptInfo } from './transcript.ts';
import { transcriptsOf } from './transcript-id.ts';
import { compareTexts } from './whole.ts';

/** The records of each transcript as one, the transcript first that changed last. */
export function listed(
  records: readonly ListedRecord[],
  { cwd }: TranscriptFilter = {},
): readonly TranscriptInfo[] {
  const transcripts = new Map<string, TranscriptInfo>();
  // The last change of all records says the most about a transcript.
  const named = Array.from(transcriptsOf(records), ([id, own]) => own.map((record) => ({ ...record, id })));
  const wanted = named.flat().filter((record) => cwd === undefined || record.cwd === cwd);
  const newestFirst = wanted.sort(
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
