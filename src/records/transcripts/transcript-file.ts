import type { Conversation } from '../../core/model/conversation.ts';
import { isRecordText, readRecord } from './format.ts';
import type { TranscriptInfo } from './transcript.ts';
import { damagedTranscript, newerTranscript } from './transcript-error.ts';

/** What one file of a transcript has. */
export interface TranscriptFile
  extends Pick<TranscriptInfo, 'id' | 'sessionId' | 'agent' | 'cwd' | 'title' | 'updatedAt'> {
  readonly conversation: Conversation;
  /** Whether a line of the file is damaged. The conversation ends before it. A last line that was cut off is no damage. */
  readonly isDamaged: boolean;
}

/**
 * Reads one file of {@link openTranscripts} that is not in its directory, such as one that a user has sent. Reading the
 * directory joins the files of a session, and this does not.
 *
 * @param text - The content of the file.
 * @param name - The name of the file, for the errors.
 * @returns `undefined` if it is another kind of file.
 * @throws {@link TranscriptError} if nothing of it can be read, or if a newer version of this library wrote it.
 *
 * @example
 * ```ts
 * const file = readTranscriptFile(await readFile(path, 'utf8'), path);
 * if (file) console.log(file.title, file.conversation.entries.length);
 * ```
 */
export function readTranscriptFile(text: string, name: string): TranscriptFile | undefined {
  if (!isRecordText(text)) return undefined;
  const reading = readRecord(text);
  if ('unreadable' in reading) throw damagedTranscript(name, reading.unreadable);
  if ('newer' in reading) throw newerTranscript(name, reading.newer.version);
  const { header, title, updatedAt, conversation, damage } = reading;
  const { id, sessionId, agent, cwd } = header;
  return { id, sessionId, agent, cwd, title, updatedAt, conversation, isDamaged: damage !== undefined };
}
