/** Phrases that a reader has to read twice, with a plain one. */
const phrases: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/\bfolders?\b/i, 'directory, as in the protocol'],
  [/\b[Ww]ho has\b(?<!\b[Aa]nyone who has)/, 'anyone who has'],
  [/\b(?:[Ww]hoever|[Nn]obody|[Ss]omebody)\b/, 'the user, no program'],
  [/\bof its own accord\b/, 'by itself'],
  [/\bis told\b/, 'gets'],
  [/\b(?:for ever|without a word)\b/, 'without end, silently'],
  [/\bin the place of\b/, 'instead of'],
  [/\b[Nn]o rest\b/, 'nothing is left'],
  [/\bto be had\b/, 'available'],
  [/\b[Aa]ll of what\b/, 'everything that'],
  [/\bis named as such\b/, 'is reported as'],
];

/** The phrases of the list that a text has, each with a plain one. */
export function phrasesIn(prose: string): readonly string[] {
  return phrases.flatMap(([pattern, plain]) => {
    const match = pattern.exec(prose);
    return match === null ? [] : [`${match[0]} (${plain})`];
  });
}
