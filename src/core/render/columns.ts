/** An emoji that can have a form or a color of skin. */
const pictograph = String.raw`\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?`;

/** What takes two columns: emoji, also those of several characters, and East Asian wide and full-width characters. */
const wide = new RegExp(
  [
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`[\d#*]\ufe0f\u20e3`,
    String.raw`${pictograph}(?:\u200d${pictograph})+`,
    String.raw`\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]`,
    String.raw`\p{Emoji_Presentation}`,
    String.raw`[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]`,
  ].join('|'),
  'gu',
);

/** Characters without a column of their own: marks, the vowels and endings of a Hangul syllable, and invisible ones. */
const narrow = /[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7fb]/gu;

/** Columns that a text takes on most terminals: East Asian characters and emoji take two. */
export function columnsOf(text: string): number {
  // Most text is ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text.replace(wide, '  ').replace(narrow, '')].length;
}
