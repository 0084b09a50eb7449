import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './pages.ts';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

/** Colors of the select graphic rendition codes, on a dark background. */
const colors: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
};

const fontSize = 13;
const lineHeight = 19;
/** Of a monospaced font of that size. The width of each line is set, so the font of the reader does not matter. */
const columnWidth = 7.8;
const margin = 18;

/** An SVG picture of a terminal that shows `text`, which has escape sequences for color and bold only. */
function terminalPicture(text: string): string {
  // A picture has no marks of Markdown.
  const lines = text.trimEnd().replace(/\*\*(.+?)\*\*/g, '\x1b[1m$1\x1b[22m').split('\n');
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  const width = Math.ceil(2 * margin + columns * columnWidth);
  const height = 2 * margin + lines.length * lineHeight;
  const rows = lines.flatMap((line, index) => {
    const y = margin + (index + 0.75) * lineHeight;
    return runsOf(line).map(({ column, text, style }) => {
      const x = (margin + column * columnWidth).toFixed(1);
      const length = (text.length * columnWidth).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}" ${style}>${escaped(text)}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace,monospace" font-size="${fontSize}">
<title>A transcript in a terminal</title>
<style>text{white-space:pre}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
${rows.join('\n')}
</svg>
`;
}

interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: string;
}

/** The parts of a line that have one style each, without the spaces around them. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  let style = 'fill="#e6edf3"';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches escape sequences
  for (const [index, piece] of line.split(/\x1b\[([\d;]*)m/).entries()) {
    if (index % 2 === 0) {
      const text = piece.trim();
      const indent = piece.length - piece.trimStart().length;
      if (text !== '') runs.push({ column: column + indent, text, style });
      column += piece.length;
    } else style = styleOf(piece.split(';'));
  }
  return runs;
}

function styleOf(codes: readonly string[]): string {
  const color = codes.map((code) => colors[code]).find(Boolean) ?? '#e6edf3';
  const weight = codes.includes('1') ? ' font-weight="bold"' : '';
  const opacity = codes.includes('2') ? ' opacity="0.65"' : '';
  return `fill="${color}"${weight}${opacity}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});
afterAll(() => reader.remove());

test.skipIf(process.platform === 'win32')('the first steps print what the page shows', async () => {
  // The commands for a clone need its sources.
  const steps = (await stepsOf('README.md')).filter(
    (step) => 'file' in step || !step.commands.some((command) => command.includes('npm ci')),
  );
  expect(steps.map((step) => ('file' in step ? step.file : step.commands))).toEqual([
    ['npm install acp-client-sdk'],
    'first.mjs',
    ['node first.mjs'],
    expect.arrayContaining(['npx acp-client-sdk chat']),
  ]);
  await reader.follow(steps.slice(0, 2));
  // The number of tokens depends on the length of the path of the folder.
  const withoutUsage = (text: string) => text.replace(/[\d,]+ of 200,000 tokens · [\d.]+ USD/, 'usage');
  const shown = steps.flatMap((step) => ('printed' in step && step.printed !== '' ? [step.printed] : []));
  expect(shown.map(withoutUsage)).toEqual([withoutUsage(await reader.shell('node first.mjs'))]);
});

test.skipIf(process.platform === 'win32')('the picture shows what the command prints', async () => {
  const printed = await reader.shell('FORCE_COLOR=1 npx acp-client-sdk transcript example-leap-day');
  const end = printed.indexOf('Before coffee.');
  const start = printed.lastIndexOf('Agent', printed.indexOf('Found it.'));
  const lastLine = printed.lastIndexOf('User', printed.lastIndexOf('User', end) - 1);
  expect(start).toBeGreaterThan(0);
  const picture = terminalPicture(
    printed.slice(printed.lastIndexOf('\n', start) + 1, printed.lastIndexOf('\n', lastLine)),
  );
  const path = join(root, 'docs/transcript.svg');
  if (process.env['UPDATE_DOCS']) writeFileSync(path, picture);
  else expect(readFileSync(path, 'utf8')).toBe(picture);
});
