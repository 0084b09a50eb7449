import type { Conversation } from '../../core/model/conversation.ts';
import { entryTexts } from './entry-text.ts';
import type { StoredRecord } from './storage.ts';
import type { TranscriptHit } from './transcript.ts';

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
  const [, , third = '', rest] = text.split('\n', 4);
  return rest !== undefined && (rest !== '' || !third.endsWith('"ended":true}'));
}

function excerpt(text: string, { start, end }: TranscriptHit['match']) {
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

/** A word of letters and digits. Each character of Chinese and Japanese is a word. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu;

const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Where a part of a name begins, as `Leap` in `isLeapYear`, `Server` in `HTTPServer` and `2` in `http2`. */
const parts =
  /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=[\p{L}\p{M}])|(?<=[\p{L}\p{M}])(?=\p{N})/u;

/** What a search looks for. */
interface SearchPattern {
  /** Finds each place in a text, also within words. */
  readonly place: RegExp;
  /** Finds the longest word in any text, to skip texts that cannot have a match. */
  readonly rarest: RegExp;
  /** The same for bytes of UTF-8 that were read as Latin 1. `undefined` if the word has other letters than those of ASCII. */
  readonly rarestBytes: RegExp | undefined;
}

/** The pattern for what a user types. `undefined` if there is no word in it. */
export function searchPattern(text: string): SearchPattern | undefined {
  const words = text.match(word) ?? [];
  const [first, ...others] = words;
  if (first === undefined) return undefined;
  let source = first;
  let before = first;
  for (const next of others) {
    const isApart = !ideograph.test(before) && !ideograph.test(next);
    source += `[^\\p{L}\\p{N}\\p{M}]${isApart ? '+' : '*'}${next}`;
    before = next;
  }
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
  return {
    place: new RegExp(source, 'giu'),
    rarest: new RegExp(longest, 'iu'),
    rarestBytes: bytesPattern(longest),
  };
}

/** The letters outside ASCII that are the same as one of ASCII without case: `ſ` and the sign of Kelvin, in UTF-8. */
const otherCases: Readonly<Record<string, string>> = {
  s: '(?:s|\\xc5\\xbf)',
  k: '(?:k|\\xe2\\x84\\xaa)',
};

function bytesPattern(word: string): RegExp | undefined {
  if (!/^[\da-z]+$/i.test(word)) return undefined;
  return new RegExp(
    word.toLowerCase().replace(/[sk]/g, (letter) => otherCases[letter] ?? letter),
    'i',
  );
}

/** Where the pattern is in a text first: at the beginning of a word, or of a part of a name. */
function firstMatch({ place }: SearchPattern, text: string): TranscriptHit['match'] | undefined {
  place.lastIndex = 0;
  for (let found = place.exec(text); found; found = place.exec(text)) {
    const start = found.index;
    if (isBegin(text, start)) return { start, end: start + found[0].length };
    place.lastIndex = start + 1;
  }
  return undefined;
}

const wordEnd = /[\p{L}\p{N}\p{M}]$/u;

/** How many characters around a place tell whether a word begins there. */
const context = 4;

function isBegin(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - context), index);
  if (!wordEnd.test(before)) return true;
  const after = text.slice(index, index + context);
  if (ideograph.test(after) || ideograph.test(before.slice(-1))) return true;
  // The last character before the place, and the first ones behind it.
  const last = Array.from(before).at(-1) ?? '';
  return (last + after).split(parts, 2)[0] === last;
}
