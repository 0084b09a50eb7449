import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { agents } from '../../../src/agents/list.ts';
import { featureNames, unstableFeatures } from '../../../src/core/protocol/feature.ts';
import type { AgentMethod } from '../../../src/core/protocol/method.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';
import { removedVariables, savedVariables } from '../../../src/node/environment/editor-variables.ts';
import { keywords } from '../../../src/programs/demo/replies.ts';
import { losses } from '../../conformance/losses.ts';
import { suites } from '../../suites.mjs';
import { expectGenerated, rowsBelow, table } from './generated.ts';
import { root } from './pages.ts';

const dialects = [v1, v2Markers, v2Baseline];

test('the table of features is up to date', () => {
  const rows = featureNames.map((feature) => [
    `\`${feature}\`${unstableFeatures.has(feature) ? ' (unstable)' : ''}`,
    ...dialects.map(({ features }) => {
      const { path, kind, or } = features[feature];
      if (kind === 'always' || kind === 'never') return kind;
      return `\`${path}\` ${kind}${or ? `, or \`${or.path}\` ${or.kind}` : ''}`;
    }),
  ]);
  expectGenerated(
    'docs/capabilities.md',
    'features',
    table(['feature', 'version 1', 'version 2 with markers', 'version 2'], rows),
  );
});

test('the table of the settings with which agents ask is up to date', () => {
  const values = (list: readonly string[]) => list.map((value) => `\`${value}\``).join(', ');
  const folder = join(root, 'src/agents');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const files = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  // Comments, so that no program loads them.
  const places = files.flatMap((file) => [
    ...file.matchAll(/^\/\/ Seen in: (.+; \d{4}-\d\d-\d\d)\n.+ = \{\s+names: \['(.+?)'/gm),
  ]);
  const seen = new Map(places.map(([, place = '', name = '']) => [name, place]));
  expect([...seen.keys()].sort()).toEqual(agents.map(({ names: [name] }) => name).sort());
  const rows = agents.flatMap(({ names: [name = ''], permissions, askingVariable: set }) => {
    const source = seen.get(name) ?? '';
    if (set) return [[name, `the variable \`${set.name}\``, `\`${set.value}\``, 'as configured', source]];
    if (permissions?.length === 0) return [[name, '–', 'none: it never asks', 'all', source]];
    return (permissions ?? []).map(({ settingId, asking, notAsking }) => [
      name,
      `\`${settingId}\``,
      values(asking),
      values(notAsking),
      source,
    ]);
  });
  const head = ['agent', 'setting', 'values that ask', 'values that do not', 'seen in'];
  expectGenerated('docs/permissions.md', 'asking', table(head, rows));
});

test('the table of methods is up to date', () => {
  const names = [...new Set(dialects.flatMap(({ agentMethods }) => Object.keys(agentMethods)))].sort();
  const gate = (method: AgentMethod | undefined) => {
    if (!method) return '–';
    return method.requires ? `\`${method.requires}\`` : 'no gate';
  };
  const rows = names.map((name) => [
    `\`${name}\``,
    ...dialects.map(({ agentMethods }) => gate(agentMethods[name])),
  ]);
  expectGenerated(
    'docs/capabilities.md',
    'methods',
    table(['method', 'version 1', 'version 2 with markers', 'version 2'], rows),
  );
});

test('the table of differences between versions is up to date', () => {
  const rows = losses.map(({ where, v1, v2 }) => [where, v1, v2]);
  expectGenerated(
    'docs/versions.md',
    'losses',
    table(['in the conversation', 'version 1', 'version 2'], rows),
  );
});

test('the page on testing has every keyword of the demo agent', () => {
  const rows = keywords.map(({ words, effect }) => [
    words.map((word) => `\`${word}\``).join(', '),
    `${effect.charAt(0).toUpperCase()}${effect.slice(1)}.`,
  ]);
  expectGenerated('docs/testing.md', 'keywords', table(['word', 'answer'], rows));
});

test('the table of the variables that programs do not inherit has each of them, and what changes', () => {
  const codeOf = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const removed = removedVariables.map(({ names, except, onlyWith }) => [
    codeOf(names),
    `removed${except ? `, except ${codeOf(except)}` : ''}${onlyWith ? `, if there is \`${onlyWith}\`` : ''}`,
  ]);
  const saved = savedVariables.map(({ saved: name, original }) => [
    codeOf([name]),
    `removed; \`${original}\` gets its value`,
  ]);
  const rows = rowsBelow('docs/starting-agents.md', 'variable', 'change', 'reason');
  expect(rows.filter(([what]) => what !== 'lists of paths').map((row) => row.slice(0, 2))).toEqual([
    ...removed,
    ...saved,
  ]);
  for (const row of rows) expect(row[2]).toMatch(/\. \[Source\]\(https:\/\/\S+\)$/);
});

/** A module without types: reasons by file and title. */
const { skipped }: { skipped: Readonly<Record<string, Readonly<Record<string, string>>>> } = await import(
  pathToFileURL(join(root, 'test/windows/skipped.mjs')).href
);

test('the table of tests that Wine cannot run is up to date', () => {
  const rows = Object.entries(skipped).flatMap(([file, tests]) =>
    Object.entries(tests).map(([title, reason]) => [
      `\`${file}\``,
      title.replace(/^\[.*?\] /, ''),
      `${reason}.`,
    ]),
  );
  expectGenerated('docs/maintaining.md', 'wine', table(['file', 'test', 'reason'], rows));
});

const decisionsFolder = resolve(import.meta.dirname, '../../../docs/decisions');
const decisions = readdirSync(decisionsFolder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();

test('each decision has its number, its title and its sections, and is listed', () => {
  expect(decisions.length).toBeGreaterThan(0);
  const lines = decisions.map((name, index) => {
    const source = readFileSync(join(decisionsFolder, name), 'utf8');
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(source).toContain('\n## Context\n');
    expect(source).toContain('\n## Decision\n');
    const [, title = ''] = new RegExp(`^# ${index + 1}\\. (\\S.*)$`, 'm').exec(source) ?? [];
    expect(title, name).not.toBe('');
    return `${index + 1}. [${title}](${name})`;
  });
  expectGenerated('docs/decisions/README.md', 'records', lines.join('\n'));
});

test('the page on contributing has every suite', () => {
  const rows = Object.entries(suites).map(([name, { does }]) => [`\`${name}\``, does]);
  expectGenerated('docs/contributing.md', 'suites', table(['suite', 'effect'], rows));
});

test('the record about version 1.0 says what is promised of each entry', () => {
  const record = readFileSync(join(root, 'docs/decisions/0023-public-api-of-1-0.md'), 'utf8');
  const rows = [...record.matchAll(/^\| `(acp-client-sdk|\/[\w/.-]+)` \|/gm)].map(([, entry]) => entry);
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = Object.keys(exports).map((entry) => (entry === '.' ? 'acp-client-sdk' : entry.slice(1)));
  expect(rows.sort()).toEqual(named.sort());
});
