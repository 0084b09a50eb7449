/** How long a piece is at least, so that short texts still come in several. */
const pieceLength = 24;
/** A very long text comes in longer pieces, not in more. */
const maxPieces = 200;

/**
 * Cuts a text into the pieces in which it is streamed. Joined, they are the text.
 *
 * A cut falls after a space where there is one. Where there is none it may fall inside a grapheme, as it does with
 * the tokens of real models, but never inside a character.
 */
export function splitText(text: string): readonly string[] {
  const length = Math.max(pieceLength, Math.ceil(text.length / maxPieces));
  const pieces: string[] = [];
  let piece = '';
  for (const character of text) {
    piece += character;
    if (piece.length >= length || (character === ' ' && piece.length >= length / 2)) {
      pieces.push(piece);
      piece = '';
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
