/**
 * Escape sequences, then all control characters except tab and line feed. A sequence that contains text, such as a
 * window title, ends at the end of the line at the latest. No character that starts a sequence remains.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The characters that change the direction of the surrounding text. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text without escape sequences and without control characters except tab and line feed, so that it cannot affect
 * a terminal. U+FFFD replaces characters that change the text direction.
 */
export function printable(text: string): string {
  return text.replace(controls, '').replace(reordering, '\ufffd');
}

/** The first `maxLength` characters of `text`, with an ellipsis if it is longer. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const maxLines = 10;
const maxCharacters = 2000;

/** A frame of a V8 stack trace. The message comes before the frames and would be cut off first. */
const stackFrame = /^\s+at /;

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
