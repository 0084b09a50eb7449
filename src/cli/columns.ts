const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\p{Emoji_Presentation}]/u;
const joining = /\p{M}|\u200d|\ufe0f/u;

/** How many columns a text takes, near enough: a terminal shows some scripts and pictures twice as wide. */
export function columnsOf(text: string): number {
  // Most text is of one column a character, and long.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let count = 0;
  for (const char of text) if (!joining.test(char)) count += wide.test(char) ? 2 : 1;
  return count;
}
