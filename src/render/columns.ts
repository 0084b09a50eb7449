const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\p{Emoji_Presentation}]/gu;
const combining = /\p{M}|\u200d|\ufe0f/gu;

/** Columns that a text takes on most terminals: East Asian characters and emoji take two. */
export function columnsOf(text: string): number {
  // Most text is ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text.replace(combining, '').replace(wide, '  ')].length;
}
