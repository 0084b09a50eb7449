/**
 * Escape sequences (one with a text of its own, such as a window title, at most to the end of the line), then every
 * control character but tab and line feed. Nothing that starts a sequence is left.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The characters that reorder what stands around them. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that cannot act where it is shown: no escape sequences, no control characters but tab and line feed, U+FFFD
 * for those that reorder text.
 */
export function printable(text: string): string {
  return text.replace(controls, '').replace(reordering, '\ufffd');
}

/** The beginning of `text`, with a mark where the rest is left out. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const maxLines = 10;
const maxCharacters = 2000;

/** A line of a stack trace, as V8 writes it: the message stands before all of them, and would be the first to go. */
const stackFrame = /^\s+at /;

/**
 * The last lines of what a program wrote to stderr, fit to stand in a message. Of a line that was written over and
 * over, as a progress bar is, the last state stays; of a stack trace its first line.
 */
export function lastLines(tail: string): string {
  const lines = tail
    .split(/\r*\n/)
    .map((line) => printable(line.slice(line.lastIndexOf('\r') + 1)))
    .filter((line) => line.trim() !== '')
    .filter((line, index, all) => !stackFrame.test(line) || !stackFrame.test(all[index - 1] ?? ''));
  const text = lines.slice(-maxLines).join('\n');
  return text.length > maxCharacters ? `…${text.slice(-maxCharacters)}` : text;
}
