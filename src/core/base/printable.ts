/**
 * Escape sequences, then all control characters except tab and line feed. A sequence that contains text, such as a
 * window title, ends at the end of the line at the latest. No character that starts a sequence remains.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The characters that change the direction of the surrounding text. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/g;

/** The first code units of the invisible characters. Most texts have none of them. */
const mayBeInvisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each code unit is meant by itself
  /[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\ud82f\ud834\udb40-\udb43]/;

/** Letters of the scripts that are written from right to left. */
const rightToLeft =
  /[\u0590-\u05ff\u0600-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

let expressions: readonly [invisible: RegExp, withMarks: RegExp] | undefined;

/** Made for the first text with such characters, so that a program without such texts has nothing of it. */
function madeExpressions(): readonly [RegExp, RegExp] {
  /** Selects a form of the character before it, such as the colored one of an emoji. */
  const variation = String.raw`[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`;

  /** A letter, or a mark on it, of the scripts in which a joiner changes the shape of letters, and of some others. */
  const joiningLetter = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}](?<!${[
    'Latin',
    'Greek',
    'Cyrillic',
    'Hebrew',
    'Han',
    'Hiragana',
    'Katakana',
    'Hangul',
  ]
    .map((script) => String.raw`\p{Script_Extensions=${script}}`)
    .join('|')})`;

  /** What stays of the invisible characters, each in the only place where it changes how visible ones look. */
  const needed = [
    // The flags of England, Scotland and Wales: a black flag, and the name of the country.
    String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
    String.raw`(?<=[^\s\p{Default_Ignorable_Code_Point}])${variation}`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]${variation}?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=${joiningLetter}${variation}?)[\u200c\u200d]`,
  ];

  /** The marks have the effect of a letter of their direction, so that they add none in text with such letters. */
  const directionMark = String.raw`(?<=(?:^|\P{Default_Ignorable_Code_Point})${variation}?[\u200c\u200d]?)[\u200e\u200f\u061c]`;

  return [invisibleExcept(needed), invisibleExcept([...needed, directionMark])];
}

/** Characters that have no shape of their own in any font, except those that the group matches. */
function invisibleExcept(kept: readonly string[]): RegExp {
  return new RegExp(String.raw`(${kept.join('|')})|\p{Default_Ignorable_Code_Point}`, 'gu');
}

/**
 * The text without escape sequences, without control characters except tab and line feed, and without invisible
 * characters, so that it cannot affect a terminal and hides nothing. U+FFFD replaces characters that change the text
 * direction.
 *
 * What changes how visible characters look stays, at most one of each after a character: variation selectors, joiners
 * in emoji and after letters of scripts that may need them, direction marks in text with letters that are written from
 * right to left, and three flags.
 */
export function printable(text: string): string {
  const shown = text.replace(controls, '').replace(reordering, '\ufffd');
  if (!mayBeInvisible.test(shown)) return shown;
  expressions ??= madeExpressions();
  const [invisible, withMarks] = expressions;
  return shown.replace(rightToLeft.test(shown) ? withMarks : invisible, '$1');
}

/** The first `maxLength` characters of `text`, with an ellipsis if it is longer. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const maxLines = 10;
const maxCharacters = 2000;

/** A frame of a V8 stack trace. The message comes before the frames and would be cut off first. */
export const stackFrame = /^\s+at /;

/**
 * The last lines that a program wrote to stderr, for use in a message. Only the final state of a line that was
 * overwritten, such as a progress bar, and only the first frame of a stack trace is kept.
 */
export function lastLines(tail: string): string {
  const lines = tail
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => printable(line.slice(line.lastIndexOf('\r') + 1)))
    .filter((line) => line.trim() !== '')
    .filter((line, index, all) => !stackFrame.test(line) || !stackFrame.test(all[index - 1] ?? ''));
  const text = lines.slice(-maxLines).join('\n');
  return text.length > maxCharacters ? `…${text.slice(-maxCharacters)}` : text;
}
