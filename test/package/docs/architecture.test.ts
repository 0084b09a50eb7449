import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, folderOf, imports, nodeOnly } from '../imports.ts';
import { observePaths, type Visit } from './call-paths.ts';
import { expectGenerated, table } from './generated.ts';
import { root } from './pages.ts';

/** The purpose of each folder, from the lowest layer to the highest. */
const holds: Readonly<Record<string, string>> = {
  base: 'What all rooms share: errors, diagnostics, checks of options, time limits, JSON, secrets.',
  model: 'The version-neutral types of a session.',
  trace: 'Recordings of the traffic, bounded and without secrets.',
  protocol: 'The protocol: schemas, descriptors, dialects. No input and output.',
  conversation: 'The fold with one file per noun, selectors, the store, the patches for another process.',
  render: 'Conversations as text, Markdown and HTML without active content.',
  markdown: 'The Markdown of messages as HTML, block by block while it grows.',
  transport: 'Bytes to messages and back: lines, WebSocket, streamable HTTP, back-pressure.',
  rpc: 'Requests and answers over vscode-jsonrpc: order, cancellation, the end of a connection.',
  client: 'Connection, sessions, turns, the gate, requests from the agent.',
  panel: 'The two ends of a panel: the host, which serves it, and the page.',
  bridges: 'Conversations and turns for chat interfaces of others, as pure functions.',
  node: "The agent's process, files and terminals, and the registry of agents.",
  vscode: 'Files, terminals, prompts and views of VS Code, whose module is passed in.',
  loopback: 'What a server on this machine checks: the token, the host, the size.',
  tools: "The editor's own tools, as MCP servers, and the ways to reach them.",
  transcripts: 'Transcripts that are kept without the agent: recorded, read, searched, continued.',
  recording: 'Reads, plays, folds and compares recordings of the traffic.',
  testing: 'The test kit: agents that follow a script.',
  'programs/inspector': 'Timelines of what happened on a connection, and the page that shows them.',
  'programs/demo': 'The demo agent, a script of the test kit over stdin and stdout.',
  'programs/cli': 'The command line.',
  entries: 'The names that the package exports, one file for each entry.',
};

/** The purpose of each file of `base`. */
const shared: Readonly<Record<string, string>> = {
  'diagnostic.ts': 'The kinds of diagnostics.',
  'errors.ts': 'The classes of errors, with their codes.',
  'inspect.ts': 'The output of `console.log` for objects of the library.',
  'issue.ts': 'Problems that a schema finds, as text.',
  'json.ts': 'The types of JSON, and checks for them.',
  'kind-of.ts': 'The kind of a value, for a message that must not repeat the value.',
  'known-texts.ts': 'Finds known texts in another text.',
  'listeners.ts': 'Calls functions that the editor passes to listen.',
  'online.ts': 'Tells when a page is online again.',
  'options.ts': 'Checks the parameters and options of a call.',
  'package-version.ts': 'The version of the package, as a constant.',
  'platform.ts': 'Whether this is Node or a page.',
  'printable.ts': 'Removes control characters and escape sequences from texts.',
  'process-exit.ts': 'How a process ended, as data and as text.',
  'remote-reason.ts': 'The text that an agent or a server gives as a reason, made short and printable.',
  'request-id.ts': 'The type of the id of a request.',
  'secrets.ts': 'Removes tokens and other secrets from texts and messages.',
  'terminal-change.ts': 'A change of a terminal that the client runs.',
  'utf8-length.ts': 'The length of a text in bytes of UTF-8.',
  'wait.ts': 'Time limits, abort signals and idle timers.',
};

/** The other rooms that the files of one import from, besides `base`. The lists of names may be from each of them. */
function importsOf(folder: string): readonly string[] {
  const targets = imports
    .filter(({ from, to }) => folderOf(from) === folder && folder !== 'entries' && to.endsWith('.ts'))
    .map(({ to }) => folderOf(to));
  return Object.keys(holds).filter((other) => ![folder, 'base'].includes(other) && targets.includes(other));
}

test('the page lists every folder and what it imports from', () => {
  const folders = new Set(files.map(folderOf));
  expect([...folders].sort()).toEqual(Object.keys(holds).sort());
  const rows = Object.entries(holds).map(([folder, purpose]) => [
    `\`${folder}\``,
    purpose,
    importsOf(folder)
      .map((other) => `\`${other}\``)
      .join(', ') || 'nothing',
  ]);
  expectGenerated('docs/architecture.md', 'folders', table(['directory', 'content', 'imports from'], rows));
});

test('the page lists the files of base, which all rooms share', () => {
  const inBase = files.filter((file) => folderOf(file) === 'base').map((file) => file.slice('base/'.length));
  expect(inBase.sort()).toEqual(Object.keys(shared).sort());
  const rows = Object.entries(shared).map(([file, purpose]) => [`\`${file}\``, purpose]);
  expectGenerated('docs/architecture.md', 'shared', table(['file', 'content'], rows));
});

/** Where a package is imported: the folder, or each file if only some files of the folder may import from Node. */
function importersOf(names: (name: string) => boolean, place: (file: string) => string): string {
  const importers = imports.filter(({ to }) => names(to)).map(({ from }) => place(from));
  return [...new Set(importers)]
    .sort()
    .map((importer) => `\`${importer}\``)
    .join(', ');
}

test('the page lists the packages, and who imports from Node', () => {
  const outside = imports.map(({ to }) => to).filter((to) => !/\.(?:ts|json)$/.test(to));
  const packages = [...new Set(outside)].filter((name) => !name.startsWith('node:')).sort();
  const startsPrograms = (name: string) => name === 'node:child_process';
  const isOtherNode = (name: string) => name.startsWith('node:') && !startsPrograms(name);
  const rows = [
    ...packages.map((name) => [`\`${name}\``, importersOf((other) => other === name, folderOf)]),
    ['`node:child_process`', importersOf(startsPrograms, folderOf)],
    [
      'other modules of Node',
      importersOf(isOtherNode, (file) => (nodeOnly.has(folderOf(file)) ? folderOf(file) : file)),
    ],
  ];
  expectGenerated('docs/architecture.md', 'packages', table(['package', 'imported by'], rows));
});

test('each source file that the page names exists', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const named = [...page.matchAll(/`(?:src\/)?([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(50);
  const exists = (name: string) =>
    name.startsWith('test/') || files.some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

/** Gets the call that opens a session as a function, because its own servers are ready before the call. */
const servers = 'client/session/provided-servers.ts';

describe('the paths through the code', () => {
  let observed: Promise<ReadonlyMap<string, readonly Visit[]>> | undefined;

  test.each(['update', 'call', 'request', 'permission', 'decision', 'crash', 'restart'])(
    'the page shows the path of the %s, which enters no file twice',
    async (name) => {
      observed ??= observePaths();
      const visits = (await observed).get(name) ?? [];
      const visited = visits.map(({ file }) => file).filter((file) => file !== servers);
      const entered = visited.filter((file, index) => file !== visited[index - 1]);
      expect(entered.length).toBeGreaterThan(2);
      expect(entered).toEqual([...new Set(entered)]);
      const rows = visits.map(({ file, functions }) => [
        `\`${file}\``,
        functions.map((called) => `\`${called}\``).join(', '),
      ]);
      expectGenerated('docs/architecture.md', `path-${name}`, table(['file', 'functions'], rows));
    },
  );
});
