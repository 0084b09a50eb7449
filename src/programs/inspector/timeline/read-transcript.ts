import { errorMessage } from '../../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../../core/base/errors.ts';
import { isJsonObject } from '../../../core/base/json.ts';
import { diffConversation } from '../../../core/conversation/diff.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import { readRecord as readTraffic } from '../../../core/trace/traffic.ts';
import type { ExportedConversation } from '../../../records/saved/export.ts';
import { importConversation } from '../../../records/saved/import.ts';
import { TranscriptError } from '../../../records/transcripts/transcript-error.ts';
import { readTranscriptFile } from '../../../records/transcripts/transcript-file.ts';
import { GrowingTimeline } from './growing.ts';
import type { TimelineLine, TranscriptItem } from './items.ts';

/**
 * Reads a file of `openTranscripts`, or an exported conversation. `undefined` for any other file.
 *
 * @param path - For the errors.
 * @throws {@link TranscriptError} if nothing of it can be read, or a newer version of this library wrote it.
 */
export function readTranscript(path: string, text: string): readonly TimelineLine[] | undefined {
  const file = readTranscriptFile(text, path);
  if (file) return linesOf(file.conversation, file);
  const [firstLine = ''] = text.split('\n', 1);
  // A recording is not parsed as a whole.
  return readTraffic(firstLine) ? undefined : linesOfExport(path, text);
}

const exportFormat: ExportedConversation['format'] = 'acp-client-sdk/conversation';

/** How `JSON.stringify` begins what `exportConversation` returns. */
const beginOfExport = /^\s*\{\s*"format"\s*:\s*"([^"]*)"/;

function linesOfExport(path: string, text: string): readonly TimelineLine[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (beginOfExport.exec(text)?.[1] !== exportFormat) return undefined;
    throw new TranscriptError(
      'transcript.damaged',
      `The exported conversation ${JSON.stringify(path)} is not complete JSON: ${errorMessage(error)}. Export it again.`,
      { cause: error },
    );
  }
  if (!isJsonObject(value) || (value['format'] !== exportFormat && !('entries' in value))) return undefined;
  const conversation = imported(path, value);
  const { updatedAt } = conversation.info;
  return linesOf(conversation, { agent: null, cwd: null, updatedAt, isDamaged: false });
}

function imported(path: string, value: unknown): Conversation {
  try {
    return importConversation(value);
  } catch (error) {
    const [issue] = error instanceof InvalidParamsError ? error.issues : [];
    if (!issue) throw error;
    throw new TranscriptError(
      issue.path === 'version' ? 'transcript.newer' : 'transcript.damaged',
      `The exported conversation ${JSON.stringify(path)} cannot be read: ${issue.path} ${issue.message}.`,
      { cause: error },
    );
  }
}

function linesOf(
  conversation: Conversation,
  { agent, cwd, updatedAt, isDamaged }: Omit<TranscriptItem, 'type' | 't'>,
): readonly TimelineLine[] {
  const timeline = new GrowingTimeline('', [], 'complete');
  const index = timeline.add({ type: 'transcript', t: 0, agent, cwd, updatedAt, isDamaged });
  const entries = conversation.entries.map(({ key }) => key);
  timeline.addChanges(index, [
    { conversation: 0, patch: diffConversation(undefined, conversation), entries },
  ]);
  return timeline.lines;
}
