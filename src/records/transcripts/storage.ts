import type { AgentIdentity } from './transcript.ts';

/**
 * What a storage can list of a record without reading all of it. A record is what one recording of a session wrote. A
 * transcript has one record, or several if several programs record the session at the same time, or a program was killed.
 */
export interface RecordInfo {
  /** The transcript to which the record belongs. Any text: a storage must not use it as a path or as a part of a query. */
  readonly id: string;
  /** Unique for each recording: 32 hexadecimal digits. */
  readonly writer: string;
  /** The version of the format. Records of a newer version are listed, and not read. */
  readonly version: number;
  readonly sessionId: string;
  /**
   * Which session with this id it is: agents can give an id again. Absent if the agent had the session before it was
   * recorded.
   */
  readonly creation?: string | undefined;
  readonly agent: AgentIdentity | null;
  readonly cwd: string;
  readonly title: string | null;
  /** When the conversation changed last, in ISO 8601 and UTC. */
  readonly updatedAt: string;
}

/** What a recording writes at once. */
export interface RecordBatch {
  readonly info: RecordInfo;
  /**
   * - `append`: adds `lines` to the record. Fails if the storage does not have the record.
   * - `replace`: makes `lines` the whole record, in one step: a reader, and a program that is killed, sees the record before
   *   or after it. Creates the record if there is none.
   */
  readonly mode: 'append' | 'replace';
  /** Whole lines of JSON. Each ends with a line feed. */
  readonly lines: string;
}

/** A record as it was listed. */
export interface ListedRecord extends RecordInfo {
  /** How much the record takes, in bytes. */
  readonly bytes: number;
}

/** A record as it was written. */
export interface StoredRecord {
  readonly writer: string;
  /** The lines of all batches, in order. The end may be cut off anywhere. */
  readonly text: string;
  /**
   * The same text in UTF-8, where the storage has it and makes `text` only when it is read. A search looks for its words in
   * the bytes first.
   */
  readonly bytes?: Uint8Array | undefined;
}

/** Which transcripts are meant. */
export interface TranscriptFilter {
  /** Only sessions with this working directory, compared as text. Default: all. */
  readonly cwd?: string | undefined;
}

/**
 * Where transcripts are kept. `openTranscripts({ directory })` keeps them in files, and `memoryStorage()` in memory. Write
 * one for a database.
 *
 * Several programs may use the same storage at the same time. A record has one writer, so two of them never write the
 * same record. Each method rejects with any error if it cannot do its work, and then has changed nothing. A recording
 * whose batch was refused writes its whole record again later, under another `writer`.
 */
export interface TranscriptStorage {
  /** Writes a batch. Resolves when a program that is killed now does not lose it. */
  append(batch: RecordBatch): Promise<void>;
  /**
   * The records of a transcript, in any order. Empty if there is none.
   *
   * @param writers - All records that `list` has just returned, so that a search need not look for the records of each
   *   transcript again. If one of them is gone, return all that there are: another one can have its content. A storage
   *   may ignore them.
   */
  read(id: string, writers?: readonly string[]): Promise<readonly StoredRecord[]>;
  /** The records of all transcripts, in any order, those of newer versions too. */
  list(filter?: TranscriptFilter): AsyncIterable<ListedRecord>;
  /**
   * Removes records so that nothing of them is left. Resolves also if there is nothing to remove.
   * `prune` removes many transcripts at the same time.
   *
   * @param writers - The records to remove. Default: all records of the transcript.
   */
  remove(id: string, writers?: readonly string[]): Promise<void>;
  /** Releases what the storage holds. */
  close?(): Promise<void>;
}
