/** A word of letters and digits. Each character of Chinese and Japanese is a word. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu;

const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Where a part of a name begins, as `Leap` in `isLeapYear`, `Server` in `HTTPServer` and `2` in `http2`. */
const parts =
  /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=[\p{L}\p{M}])|(?<=[\p{L}\p{M}])(?=\p{N})/u;

/** What a search looks for. */
export interface SearchPattern {
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
export function firstMatch(
  { place }: SearchPattern,
  text: string,
): { readonly start: number; readonly end: number } | undefined {
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
