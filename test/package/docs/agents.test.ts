import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loginAdvice } from '../../../src/agents/find.ts';
import { agents as known } from '../../../src/agents/list.ts';
import { readInitialize } from '../../../src/core/protocol/read-initialize.ts';
import { codeIn, expectGenerated, root, rowsBelow, table, tableOf } from './pages.ts';
import { tagsOf } from './tagged-tests.ts';

// By its address: the compiler does not read the agents suite, which is JavaScript and imports the build.
const list: { readonly habits: object } = await import(
  new URL('../../agents/habit-list.mjs', import.meta.url).href
);
const habits = Object.keys(list.habits);

test('each habit of an agent has a test, and each such test its habit', () => {
  expect(habits.length).toBeGreaterThan(30);
  expect(habits.toSorted()).toEqual(tagsOf('agents'));
});

test('the page about agents lists each habit', () => {
  const [rows, source] = ['docs/agent-results.md', 'test/agents/page.md'].map((path) =>
    rowsBelow(path, 'An agent', 'The client', 'Tag of the test'),
  );
  expect(rows).toEqual(source);
  expect(rows?.map(([, , tag]) => codeIn(tag))).toEqual(habits);
});

const results = 'test/agents/results.md';
const { head: columns, rows: steps } = tableOf(results, '', 'codex v1');

/** The cells of a row of the table of all steps, by the agent and the version of the protocol. */
function stepCells(title: string): ReadonlyMap<string, string> {
  const cells = steps.find(([first]) => first === title) ?? [];
  return new Map(cells.slice(1).map((cell, index) => [columns[index + 1] ?? '', cell]));
}

test('the results have the way to the tools of an editor for the agents that must have them', () => {
  const cells = stepCells('a tool of the editor');
  const agents = ['claude v1', 'claude v2', 'codex v1', 'codex v2', 'codex-zed v1', 'opencode v1', 'qwen v1'];
  for (const agent of [...agents, 'gemini v1']) {
    expect([agent, cells.get(agent)]).toEqual([
      agent,
      expect.stringMatching(/^(yes|varies), (acp|http|stdio)$/),
    ]);
  }
});

test('a key in the results that names the tool call is one that the library reads', () => {
  const named = [...stepCells('its call is named in `_meta` by').values()].filter((cell) =>
    cell.startsWith('`'),
  );
  expect(named.length).toBeGreaterThan(3);
  const keys = known.flatMap(({ toolCallKeys = [] }) => toolCallKeys);
  for (const cell of named) expect(keys).toContain(cell.slice(1, -1));
});

interface Row {
  readonly name: string;
  readonly package: string;
  readonly known?: Start;
  readonly listed?: Start;
}

interface Start {
  readonly id?: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly isPinned?: boolean;
}

interface Login {
  readonly agent: string;
  readonly agentInfo?: { readonly name: string };
  readonly withoutTerminal: { readonly authMethods: readonly unknown[] };
}

const suite: { readonly catalog: readonly Row[] } = await import(
  new URL('../../agents/catalog.mjs', import.meta.url).href
);
const logins: readonly Login[] = JSON.parse(
  readFileSync(new URL('../../fixtures/logins.json', import.meta.url), 'utf8'),
);

/** What a user must know first, and the step of the suite that shows it. */
const firstSteps = [
  'asks before it edits and runs commands, by default',
  "the same with `permissions: 'ask'`",
  'a cancel stops the command that runs',
];

/** What works, and the step of the suite that shows it. */
const abilities = {
  history: 'loaded with its history',
  list: 'sessions listed',
  tools: 'a tool of the editor',
  steering: 'a message for the running turn',
  crash: 'the session restored after the kill',
};

const code = (text: string) => `\`${text}\``;

/** How to log in: a command, else a variable, else over the protocol. */
function loginCell(name: string, id: string | undefined): string {
  const login = logins.find(({ agent }) => agent === name);
  const { authMethods } = readInitialize({ authMethods: login?.withoutTerminal.authMethods ?? [] } as never);
  const { commands, variables } = loginAdvice({ authMethods, names: [login?.agentInfo?.name, id] });
  const command = commands.find((each) => !each.startsWith('<'));
  if (command !== undefined) return code(command);
  if (variables.length > 0) return variables.slice(0, 1).map(code).join(' or ');
  return authMethods.some(({ type }) => type === 'agent') ? 'in the editor' : 'its own program';
}

test('the table of agents for users is up to date', () => {
  const rows = suite.catalog.flatMap(({ name, package: versioned, known, listed }) => {
    const start = known ?? listed;
    if (!start) return [];
    const version = ['v2', 'v1'].find((each) => stepCells(abilities.history).has(`${name} ${each}`));
    const cellOf = (title: string) => stepCells(title).get(`${name} ${version}`) ?? '';
    const isTried = cellOf('a text in several scripts') === 'yes';
    const marks = Object.values(abilities).map((title) =>
      /^(?:yes|varies)/.test(cellOf(title)) ? '✓' : '✗',
    );
    const npmPackage = start.isPinned ? versioned : versioned.slice(0, versioned.lastIndexOf('@'));
    return [
      [
        `[${start.name}](agent-results.md#${name})`,
        ...[...firstSteps.map(cellOf), ...marks].map((cell) => (isTried ? cell : '')),
        code(['npx -y', npmPackage, ...start.args].join(' ')),
        loginCell(name, start.id),
      ],
    ];
  });
  expect(rows.length).toBeGreaterThan(10);
  const heads = ['agent', 'asks', "with `'ask'`", 'stops', ...Object.keys(abilities), 'command', 'log in'];
  expectGenerated('docs/agents.md', 'user-agents', table(heads, rows));
});

test('the page for users names the agents that do not mark the words of a subagent', () => {
  const results = readFileSync(join(root, 'docs/agent-results.md'), 'utf8').split('\n### ');
  const isUnmarked = (name: string) =>
    results.some(
      (section) =>
        section.startsWith(`${name}\n`) &&
        section.includes('- a subagent: its words are a part of the answer'),
    );
  const starts = suite.catalog.flatMap(({ name, known }) => (known ? [{ name, title: known.name }] : []));
  const lines = readFileSync(join(root, 'docs/agents.md'), 'utf8').split('\n');
  const line = lines.find((each) => each.startsWith('* Words of a subagent')) ?? '';
  const named = starts.filter(({ title }) => line.includes(`**${title}**`)).map(({ name }) => name);
  expect(named).toEqual(starts.map(({ name }) => name).filter(isUnmarked));
  expect(named).not.toEqual([]);
});
