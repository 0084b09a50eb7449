const color = '\x1b\\[[\\d;]*m';
/** The color and the indentation of a line. */
const beginOfLine = new RegExp(`^(?:${color}| )*`);
const endOfLine = new RegExp(`^(?:${color})*(?:\n|$)`);
/** What is between words. It depends on the width that a text is wrapped for. */
const betweenWords = new RegExp(`(?:${color}|\\s)+`, 'g');

/** The beginning of `text` that has the same words as `written`, which is wrapped for another width. */
export function sameWords(text: string, written: string): string {
  const endsInWord = !/\s$/.test(written);
  let left = written.replace(betweenWords, '').length;
  let end = 0;
  for (const { index, 0: gap } of text.matchAll(betweenWords)) {
    if (left < index - end) break;
    left -= index - end;
    const taken = left === 0 && endsInWord ? (/^ */.exec(gap)?.[0] ?? '') : gap;
    end = index + taken.length;
    if (left === 0) break;
  }
  return text.slice(0, end + left);
}

/**
 * What a line of its own begins with if it continues `text` at a place, because the line on the terminal is not as long
 * as in `text`: its color and its indentation. `undefined` if the place is at the end of a line.
 */
export function beginOfRest(text: string, at: number): string | undefined {
  if (endOfLine.test(text.slice(at))) return undefined;
  return beginOfLine.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';
}
