import { entryTexts } from './entry-text.ts';
import { readRecord } from './format.ts';
import { transcriptWords } from './words.ts';

/** The words of a record, for an index. A record that cannot be read has none. */
export function recordWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const reading = readRecord(text);
  if (!reading || 'newer' in reading) return words;
  const { conversation } = reading;
  for (const entry of conversation.entries) {
    for (const found of entryTexts(entry, conversation)) transcriptWords(found, words);
  }
  return words;
}
