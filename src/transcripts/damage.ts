import type { DiagnosticListener } from '../base/diagnostic.ts';
import { errorMessage } from '../base/diagnostic.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { type RecordReading, readRecord } from './format.ts';
import type { StoredRecord, TranscriptStorage } from './storage.ts';

/** A record of which something cannot be read, and which no other record has taken over. */
export interface Damage {
  readonly writer: string;
  /** Which line is damaged, and why. */
  readonly why: string;
}

const readings = new WeakMap<StoredRecord, RecordReading>();

/** Reads a record of a storage. The same one is read once, whoever asks. */
export function readStored(record: StoredRecord): RecordReading {
  const reading = readings.get(record) ?? readRecord(record.text);
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
    ({ writer, why }): ConversationEntry =>
      Object.freeze({
        kind: 'turnFailure',
        key: `damaged:${writer}`,
        origin: 'local',
        cause: 'interrupted',
        reason: `A part of this transcript is missing, because its file is damaged: ${why}.`,
        code: null,
      }),
  );
  return Object.freeze({ ...conversation, entries: Object.freeze([...conversation.entries, ...added]) });
}

/** Reports the damaged records of transcripts, each once. */
export class DamageReports {
  readonly #reported = new Set<string>();

  report(id: string, damages: readonly Damage[], listener: DiagnosticListener): void {
    for (const { writer, why } of damages) {
      const which = `${writer} ${why}`;
      if (this.#reported.has(which)) continue;
      this.#reported.add(which);
      const name = JSON.stringify(id);
      tell(
        listener,
        `The transcript ${name} is damaged: of its record ${writer}, ${why}. What was recorded from there on is not read. Restore the file from a copy, or remove the transcript.`,
      );
    }
  }

  /** The records for a recording: what cannot be read of them must not keep it from going on. */
  forRecording(storage: TranscriptStorage, listener: DiagnosticListener): TranscriptStorage {
    return {
      append: (batch) => storage.append(batch),
      list: (filter) => storage.list(filter),
      remove: (id, writers) => storage.remove(id, writers),
      read: async (id) => {
        const stored = await storage.read(id).catch((error: unknown) => {
          tell(listener, errorMessage(error));
          return [];
        });
        this.report(id, damagesOf(stored), listener);
        return stored;
      },
    };
  }
}

/** Tells that a transcript is damaged. */
export function tell(listener: DiagnosticListener, message: string): void {
  listener({ rule: 'transcripts.damaged', severity: 'error', message });
}
