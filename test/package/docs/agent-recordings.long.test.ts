import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldTraffic } from '../../../src/testing/index.ts';
import { redact } from '../../../src/trace/redact.ts';
import { root } from './pages.ts';

const folder = join(root, 'docs/recordings');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ndjson'))
  .map((path) => path.replaceAll('\\', '/'));
const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');

interface Cell {
  readonly column: string;
  readonly step: string;
  readonly text: string;
  readonly link: string | undefined;
}

/** The cells about steps in the first table below a heading. */
function cellsBelow(heading: string): readonly Cell[] {
  const lines = page.slice(page.indexOf(`\n## ${heading}\n`)).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > begin && !line.startsWith('|'));
  const parts = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((part) => part.trim());
  const [heads = [], , ...rows] = lines.slice(begin, end).map(parts);
  return rows.flatMap(([step = '', ...texts]) =>
    texts.map((part, index) => {
      const [, text = part, link] = /^\[(.*)\]\(recordings\/(.*)\)$/.exec(part) ?? [];
      return { column: heads[index + 1] ?? '', step, text, link };
    }),
  );
}

const cells = [
  ...cellsBelow('What works').filter(({ step }) => !step.startsWith('its call is named')),
  ...cellsBelow('Over the network'),
];
/** The folder of a column: `codex-v1`, or `qwen-http`. */
const folderOf = (column: string) => column.toLowerCase().replace(/,? /, '-');
const columns = [...new Set(cells.map(({ column }) => column))];

test('each step of an agent that was run has a recording, in the folder of its agent', () => {
  expect(cells.length).toBeGreaterThan(500);
  const shown = cells.filter(({ text }) => text !== '');
  expect(shown.filter(({ link }) => link === undefined)).toEqual([]);
  expect(shown.filter(({ column, link }) => !link?.startsWith(`${folderOf(column)}/`))).toEqual([]);
});

test('each link has a recording, and each recording a link', () => {
  const links = [...page.matchAll(/\]\(recordings\/([^)]+)\)/g)].map(([, path = '']) => path);
  expect([...new Set(links)].sort()).toEqual([...files].sort());
});

describe.each(columns)('the recordings of %s', (column) => {
  const recorded = cells.filter((cell) => cell.column === column && cell.link !== undefined);

  test('can be read, in the version of the column', async () => {
    expect(recorded.length).toBeGreaterThan(0);
    for (const { step, link = '' } of recorded) {
      const { dialect, diagnostics } = await foldTraffic(textOf(link));
      expect([link, diagnostics.filter(({ rule }) => rule === 'transport.noise')]).toEqual([link, []]);
      // An agent without a key, or with a wrong token, may end before it answers.
      if (dialect === undefined) expect(step).toMatch(/^(?:started without a key|a wrong token)$/);
      else expect([link, dialect.slice(0, 2)]).toEqual([link, column.endsWith(' v2') ? 'v2' : 'v1']);
    }
  });

  test('show the prompt and the answer of a turn that worked', async () => {
    const turns = /^(?:a text in several scripts|thoughts|a file written|a file read|a command run)/;
    for (const { step, text, link = '' } of recorded) {
      if (text !== 'yes' || !turns.test(step)) continue;
      const { sessions } = await foldTraffic(textOf(link));
      const entries = sessions.flatMap(({ conversation }) => conversation.entries);
      const roles = entries.flatMap((entry) => (entry.kind === 'message' ? [entry.role] : []));
      expect([link, roles]).toEqual([link, expect.arrayContaining(['user', 'agent'])]);
    }
  });
});

test('have no secret, and no path of the machine', () => {
  for (const path of files) {
    const text = textOf(path);
    expect([path, /\/tmp\/acp-agents|\/acp-client-sdk-agents|\/root\b|\/work\//.exec(text)?.[0]]).toEqual([
      path,
      undefined,
    ]);
    for (const line of text.trim().split('\n')) {
      const { msg } = JSON.parse(line);
      expect(redact(msg)).toEqual(msg);
    }
  }
});
