/**
 * Keeps transcripts in the editor, in files or in your own storage. Needs no agent to read them.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export { memoryStorage } from '../records/transcripts/memory-storage.ts';
export { openTranscripts } from '../records/transcripts/open-transcripts.ts';
export type { ReopenedSession } from '../records/transcripts/reopen.ts';
export type { ListedRecord, StoredRecord, TranscriptStorage } from '../records/transcripts/storage.ts';
export type { TranscriptHit, TranscriptInfo } from '../records/transcripts/transcript.ts';
export { TranscriptError } from '../records/transcripts/transcript-error.ts';
export { readTranscriptFile } from '../records/transcripts/transcript-file.ts';
export type { Transcripts, TranscriptsOptions } from '../records/transcripts/transcripts.ts';
