import { instantOf } from '../../core/base/instant.ts';
import type { TranscriptInfo } from './transcript.ts';

/**
 * Which transcripts are removed: those that `olderThan` or `maxBytes` names. At least one option is needed. Transcripts
 * that a newer version of this library wrote always stay.
 */
export interface PruneOptions {
  /** Those that did not change since then. One whose time cannot be read stays. */
  readonly olderThan?: Date | undefined;
  /** The oldest ones, until all others take at most this many bytes. */
  readonly maxBytes?: number | undefined;
  /**
   * This many transcripts, those that changed last, always stay. If it is the only option, all others are removed. Default:
   * 0.
   */
  readonly keep?: number | undefined;
}

/** @param transcripts - The newest first. */
export function pruned(
  transcripts: readonly TranscriptInfo[],
  { olderThan, maxBytes, keep = 0 }: PruneOptions,
): readonly TranscriptInfo[] {
  const isOnlyCount = olderThan === undefined && maxBytes === undefined;
  let bytes = 0;
  return transcripts.filter((transcript, index) => {
    bytes += transcript.bytes;
    if (index < keep || transcript.isNewer) return false;
    const changedAt = instantOf(transcript.updatedAt);
    const isOld = changedAt !== undefined && olderThan !== undefined && changedAt < olderThan;
    return isOnlyCount || isOld || bytes > (maxBytes ?? Number.POSITIVE_INFINITY);
  });
}
