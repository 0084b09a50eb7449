import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { expectGenerated } from './generated.ts';

const folder = resolve(import.meta.dirname, '../../../docs/decisions');
const records = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();

test('each decision has its number, its title and its sections', () => {
  expect(records.length).toBeGreaterThan(0);
  for (const [place, name] of records.entries()) {
    const number = place + 1;
    const source = readFileSync(join(folder, name), 'utf8');
    expect(name).toMatch(new RegExp(`^${String(number).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(source).toMatch(new RegExp(`^# ${number}\\. \\S`));
    expect(source).toContain('\n## Context\n');
    expect(source).toContain('\n## Decision\n');
  }
});

test('each decision is listed', () => {
  const lines = records.map((name) => {
    const [, number, title] = /^# (\d+)\. (.*)$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    return `${number}. [${title}](${name})`;
  });
  expectGenerated('docs/decisions/README.md', 'records', lines.join('\n'));
});
