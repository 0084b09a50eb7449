import type { Conversation } from '../../core/model/conversation.ts';
import { entryTexts } from './entry-text.ts';
import type { StoredRecord } from './storage.ts';
import type { TranscriptHit } from './transcript.ts';
import { firstMatch, type SearchPattern } from './words.ts';

/** How many characters are shown before and behind a match, at most. */
const beforeLength = 60;
const behindLength = 140;

/** One hit for each entry that has the pattern, in the order of the transcript. */
export function* searchConversation(
  id: string,
  conversation: Conversation,
  pattern: SearchPattern,
): Generator<TranscriptHit> {
  for (const entry of conversation.entries) {
    for (const text of entryTexts(entry, conversation)) {
      const match = firstMatch(pattern, text);
      if (!match) continue;
      yield { id, entryKey: entry.key, ...excerpt(text, match) };
      break;
    }
  }
}

/**
 * Whether the records of a transcript can have the pattern, without reading them as JSON. A text that was written piece by
 * piece may have it across its pieces.
 */
export function mayMatch(records: readonly StoredRecord[], { rarest, rarestBytes }: SearchPattern): boolean {
  return records.some((record) => {
    const { bytes } = record;
    const [text, found] = bytes && rarestBytes ? [latin1(bytes), rarestBytes] : [record.text, rarest];
    return hasPatches(text) || found.test(text);
  });
}

/** A character for each byte: a third of the time of UTF-8. */
function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** Whether a record has more lines than its header, a conversation, and the end. */
function hasPatches(text: string): boolean {
  let end = -1;
  for (let lines = 0; lines < 3; lines++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return false;
    // The third line is short where it says that the recording is over.
    if (lines === 2) return !text.endsWith('"ended":true}\n') || end + 1 < text.length;
  }
  return false;
}

function excerpt(
  text: string,
  { start, end }: TranscriptHit['match'],
): Pick<TranscriptHit, 'text' | 'match'> {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const nextBreak = text.indexOf('\n', end);
  const lineEnd = nextBreak < 0 ? text.length : nextBreak;
  const from = Math.max(lineStart, start - beforeLength);
  const to = Math.min(lineEnd, end + behindLength);
  const before = `${from > lineStart ? '…' : ''}${whole(text.slice(from, start), 'start')}`;
  const found = text.slice(start, end);
  const behind = `${whole(text.slice(end, to), 'end')}${to < lineEnd ? '…' : ''}`;
  return {
    text: before + found + behind,
    match: { start: before.length, end: before.length + found.length },
  };
}

const halves = { start: /^[\uDC00-\uDFFF]/, end: /[\uD800-\uDBFF]$/ };

/** Without half of a character where the text was cut. */
function whole(text: string, cut: 'start' | 'end'): string {
  return text.replace(halves[cut], '');
}
