import type {
  ListedRecord,
  RecordBatch,
  RecordInfo,
  StoredRecord,
  TranscriptFilter,
  TranscriptStorage,
} from './storage.ts';

interface MemoryRecord {
  readonly info: RecordInfo;
  readonly lines: readonly string[];
}

/**
 * Keeps transcripts in memory, for tests. They are gone when the program ends.
 *
 * @example
 * ```ts
 * const transcripts = await openTranscripts({ storage: memoryStorage() });
 * ```
 */
export function memoryStorage(): TranscriptStorage {
  /** By the id, and then by the writer. */
  const records = new Map<string, Map<string, MemoryRecord>>();

  return {
    async append({ info, mode, lines }: RecordBatch) {
      const own = records.get(info.id) ?? new Map<string, MemoryRecord>();
      const before = own.get(info.writer);
      if (mode === 'append' && !before) throw new Error(`There is no record of the writer ${info.writer}.`);
      records.set(info.id, own);
      own.set(info.writer, { info, lines: mode === 'append' ? [...(before?.lines ?? []), lines] : [lines] });
    },
    async read(id): Promise<readonly StoredRecord[]> {
      return [...(records.get(id) ?? [])].map(([writer, { lines }]) => ({ writer, text: lines.join('') }));
    },
    async *list({ cwd }: TranscriptFilter = {}): AsyncGenerator<ListedRecord> {
      for (const own of [...records.values()]) {
        for (const { info, lines } of own.values()) {
          const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
          if (cwd === undefined || info.cwd === cwd) yield { ...info, bytes };
        }
      }
    },
    async remove(id, writers) {
      const own = records.get(id);
      for (const writer of writers ?? [...(own?.keys() ?? [])]) own?.delete(writer);
      if (own?.size === 0) records.delete(id);
    },
  };
}
