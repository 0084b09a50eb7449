import { type DiagnosticListener, errorMessage } from '../../core/base/diagnostic.ts';
import { freeze } from '../../core/conversation/equal.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { type RecordReading, readRecord } from './format.ts';
import type { StoredRecord, TranscriptStorage } from './storage.ts';

/** A record of which something cannot be read, and which no other record has taken over. */
export interface Damage {
  readonly writer: string;
  /** Which line is damaged, and why. */
  readonly why: string;
}

const readings = new WeakMap<StoredRecord, RecordReading>();

/** Reads a record of a storage. Each record is read once: later calls get the same reading. */
export function readStored(record: StoredRecord): RecordReading {
  const known = readings.get(record);
  if (known) return known;
  const read = readRecord(record.text);
  // A record is found under the writer that the storage has. The one in its header may be damaged.
  const reading = 'header' in read ? { ...read, header: { ...read.header, writer: record.writer } } : read;
  readings.set(record, reading);
  return reading;
}

/** The records of a transcript that are damaged. */
export function damagesOf(stored: readonly StoredRecord[]): readonly Damage[] {
  const all = stored.map((record) => ({ writer: record.writer, reading: readStored(record) }));
  const included = new Set(
    all.flatMap(({ reading }) => ('header' in reading ? reading.header.includes : [])),
  );
  return all.flatMap(({ writer, reading }) => {
    const why =
      'unreadable' in reading ? reading.unreadable : 'damage' in reading ? reading.damage : undefined;
    return why === undefined || included.has(writer) ? [] : [{ writer, why }];
  });
}

/** The conversation of a transcript, with an entry at its end for each record that is damaged. */
export function showingDamages(conversation: Conversation, damages: readonly Damage[]): Conversation {
  if (damages.length === 0) return conversation;
  const added = damages.map(
    ({ writer, why }): ConversationEntry => ({
      kind: 'turnFailure',
      key: `damaged:${writer}`,
      origin: 'local',
      cause: 'interrupted',
      reason: `A part of this transcript is missing, because its file is damaged: ${why}.`,
      code: null,
    }),
  );
  return freeze({ ...conversation, entries: [...conversation.entries, ...added] });
}

/** Reports what is damaged, each damage once. */
export class DamageReports {
  readonly #told = new Set<string>();

  tell(message: string, listener: DiagnosticListener | undefined): void {
    if (!listener || this.#told.has(message)) return;
    this.#told.add(message);
    listener({ rule: 'transcripts.damaged', severity: 'error', message });
  }

  report(id: string, damages: readonly Damage[], listener: DiagnosticListener | undefined): void {
    for (const { writer, why } of damages)
      this.tell(
        `The transcript ${JSON.stringify(id)} is damaged: of its record ${writer}, ${why}. What was recorded from there on is not read. Restore the file from a copy, or remove the transcript.`,
        listener,
      );
  }

  /** The records of a transcript, without those that cannot be read: they must not keep other work from going on. */
  async readable(
    storage: TranscriptStorage,
    id: string,
    writers: readonly string[] | undefined,
    listener: DiagnosticListener | undefined,
  ): Promise<readonly StoredRecord[]> {
    try {
      return await storage.read(id, writers);
    } catch (error) {
      this.tell(errorMessage(error), listener);
      return [];
    }
  }

  /** The storage for a recording, which goes on whatever earlier records are like. */
  forRecording(storage: TranscriptStorage, listener: DiagnosticListener): TranscriptStorage {
    return {
      append: (batch) => storage.append(batch),
      list: (filter) => storage.list(filter),
      remove: (id, writers) => storage.remove(id, writers),
      read: async (id, writers) => {
        const stored = await this.readable(storage, id, writers, listener);
        this.report(id, damagesOf(stored), listener);
        return stored;
      },
    };
  }
}
