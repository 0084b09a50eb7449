import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/core/trace/redact.ts';
import { foldTraffic } from '../../../src/entries/testing.ts';
import { agentRecordings, recordingName } from '../../support/agent-recordings.ts';
import { root, tableOf } from './pages.ts';

interface Cell {
  readonly column: string;
  readonly title: string;
  readonly text: string;
}

/** The cells about steps that have a result, of the table whose first column is this one. */
function cellsOf(firstColumn: string): readonly Cell[] {
  const { head, rows } = tableOf('test/agents/results.md', '', firstColumn);
  return rows
    .filter(([title = '']) => !title.startsWith('its call is named'))
    .flatMap(([title = '', ...texts]) =>
      texts.map((text, index) => ({ column: head[index + 1] ?? '', title, text })),
    )
    .filter(({ text }) => text !== '');
}

const cells = [...cellsOf('codex v1'), ...cellsOf('qwen, HTTP')];
const columns = [...new Set(cells.map(({ column }) => column))];
const recordingsOf = (column: string) => agentRecordings.get(recordingName(column)) ?? [];

test('each agent that was run has recordings, and each run its column', () => {
  expect(cells.length).toBeGreaterThan(500);
  expect(columns.map(recordingName).sort()).toEqual([...agentRecordings.keys()].sort());
});

test('the files of all recordings stay few and small', () => {
  const folder = join(root, 'test/agents/recordings');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ndjson.br'));
  expect(files.length).toBeLessThanOrEqual(25);
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(500_000);
});

describe.each(columns)('the recordings of %s', (column) => {
  const results = cells.filter((cell) => cell.column === column);
  const recorded = recordingsOf(column);

  test('are those of its steps', () => {
    const titles = recorded.map(({ title }) => title);
    expect(titles.sort()).toEqual(results.map(({ title }) => title).sort());
    expect(new Set(recorded.map(({ step }) => step)).size).toBe(recorded.length);
  });

  test('can be read, in the version of the column, and show the prompt and the answer of a turn that worked', async () => {
    const turns = /^(?:a text in several scripts|thoughts|a file written|a file read|a command run)/;
    expect(recorded.length).toBeGreaterThan(0);
    for (const { step, title, text } of recorded) {
      const { dialect, diagnostics, sessions } = await foldTraffic(text);
      expect([step, diagnostics.filter(({ rule }) => rule === 'transport.noise')]).toEqual([step, []]);
      // An agent without a key, or with a wrong token, may end before it answers.
      if (dialect === undefined) expect(step).toMatch(/^(?:missing-key|wrong-token)$/);
      else expect([step, dialect.slice(0, 2)]).toEqual([step, column.endsWith(' v2') ? 'v2' : 'v1']);
      const result = results.find((cell) => cell.title === title);
      if (result?.text !== 'yes' || !turns.test(title)) continue;
      const entries = sessions.flatMap(({ conversation }) => conversation.entries);
      const roles = entries.flatMap((entry) => (entry.kind === 'message' ? [entry.role] : []));
      expect([title, roles]).toEqual([title, expect.arrayContaining(['user', 'agent'])]);
    }
  });

  test('have no secret, and no path of the machine', () => {
    for (const { step, text } of recorded) {
      const path = /\/tmp\/acp-agents|\/acp-client-sdk-agents|\/root\b|\/work\//.exec(text)?.[0];
      expect([step, path]).toEqual([step, undefined]);
      for (const line of text.trim().split('\n')) {
        const { msg } = JSON.parse(line);
        expect(redact(msg)).toEqual(msg);
      }
    }
  });
});
