/**
 * Compares a report of Stryker with the list of the changes that no test can notice.
 *
 * @param report - In the schema of mutation-testing-elements.
 * @param explained - Entries with the file, the line of the source, the original, the replacement and the reason.
 */
export function judged(report, explained) {
  const lines = [];
  let survivors = 0;
  let killed = 0;
  let contradicted = 0;
  const known = new Set();
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const sourceLines = source.split('\n');
    for (const { location, replacement, status } of mutants) {
      const line = (sourceLines[location.start.line - 1] ?? '').trim();
      const original = textAt(sourceLines, location);
      const explanation = explained.find(
        (entry) =>
          entry.file === file &&
          entry.line === line &&
          entry.original === original &&
          entry.replacement === replacement,
      );
      if (explanation) known.add(explanation);
      if (status !== 'Survived' && status !== 'NoCoverage') {
        killed++;
        if (explanation) {
          contradicted++;
          lines.push(`${file}:${location.start.line} is explained, and a test notices it.`);
        }
        continue;
      }
      if (explanation) continue;
      survivors++;
      lines.push(
        `${file}:${location.start.line} ${status}`,
        `- ${inOneLine(original)}`,
        `+ ${inOneLine(replacement)}`,
      );
    }
  }
  const stale = explained.filter((entry) => entry.file in report.files && !known.has(entry));
  for (const { file, line } of stale)
    lines.push(`${file}: the explained change does not exist any more: ${line}`);
  lines.push(`${killed} changes are noticed, ${known.size} are explained, ${survivors} are neither.`);
  return { lines, isGood: survivors + contradicted + stale.length === 0 };
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
