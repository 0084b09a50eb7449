/**
 * Compares the changes with the list of those that no test can notice.
 *
 * @param changes - Each with its id, file, source, location and replacement. Lines and columns begin with 1.
 * @param noticed - The ids of the changes that a test has noticed.
 * @param explained - Entries with the file, the line of the source, the original, the replacement and the reason.
 * @returns what to print, whether it is good, and an entry for each change that is neither noticed nor explained.
 */
export function judged(changes, noticed, explained) {
  const lines = [];
  const left = [];
  let contradicted = 0;
  const known = new Set();
  for (const change of changes) {
    const entry = entryOf(change);
    const place = `${change.file}:${change.location.start.line}`;
    const explanation = explained.find((one) => isSame(one, entry));
    if (explanation) known.add(explanation);
    // Of two changes of a line that look the same, the explanation is that of the one which no test notices.
    const isLeft = (other) => !noticed.has(other.id) && isSame(entryOf(other), entry);
    if (noticed.has(change.id)) {
      if (!explanation || changes.some(isLeft)) continue;
      contradicted++;
      lines.push(`${place} is explained, and a test notices it.`);
    } else if (!explanation) {
      left.push(entry);
      lines.push(place, `- ${inOneLine(entry.original)}`, `+ ${inOneLine(entry.replacement)}`);
    }
  }
  const files = new Set(changes.map(({ file }) => file));
  const stale = explained.filter((entry) => files.has(entry.file) && !known.has(entry));
  for (const { file, line } of stale)
    lines.push(`${file}: the explained change does not exist any more: ${line}`);
  lines.push(`${noticed.size} changes are noticed, ${known.size} are explained, ${left.length} are neither.`);
  return { lines, left, isGood: left.length + contradicted + stale.length === 0 };
}

/** A change as explained.json names it, so that it is found also where lines above it are added. */
export function entryOf({ file, source, location, replacement }) {
  const lines = source.split('\n');
  const line = (lines[location.start.line - 1] ?? '').trim();
  return { file, line, original: textAt(lines, location), replacement };
}

/** Whether two entries name the same change. */
export function isSame(left, right) {
  return ['file', 'line', 'original', 'replacement'].every((key) => left[key] === right[key]);
}

/** The text between two places. Lines and columns begin with 1. */
function textAt(lines, { start, end }) {
  const text = lines.slice(start.line - 1, end.line);
  text[text.length - 1] = (text.at(-1) ?? '').slice(0, end.column - 1);
  text[0] = (text[0] ?? '').slice(start.column - 1);
  return text.join('\n');
}

function inOneLine(text) {
  const joined = text.replaceAll(/\s+/g, ' ');
  return joined.length > 160 ? `${joined.slice(0, 160)}…` : joined;
}
