import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { cyclesOf, entries, files, folderOf, imports, nodeOnly, sourceOf } from './imports.ts';

/** The rooms that each room may import from, besides itself and `base`. The entries may import from each. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: [],
  protocol: ['model'],
  conversation: ['model'],
  render: ['model', 'conversation'],
  markdown: ['conversation', 'render'],
  transport: [],
  rpc: ['transport'],
  trace: ['transport'],
  client: ['trace', 'rpc', 'transport', 'conversation', 'model', 'protocol'],
  panel: ['client', 'transcripts', 'transport', 'protocol', 'model', 'conversation'],
  bridges: ['client', 'panel', 'model', 'conversation'],
  node: ['client', 'rpc', 'transport', 'protocol', 'conversation', 'trace', 'model'],
  vscode: ['client', 'panel', 'trace', 'render', 'rpc', 'transport', 'protocol', 'model'],
  loopback: [],
  tools: ['client', 'trace', 'node', 'rpc', 'transport', 'model', 'loopback'],
  transcripts: ['client', 'node', 'render', 'transport', 'protocol', 'model', 'conversation'],
  recording: ['client', 'trace', 'rpc', 'transport', 'protocol', 'model', 'conversation'],
  testing: ['rpc', 'transport', 'protocol'],
  'programs/demo': ['testing', 'rpc', 'transport', 'protocol'],
  'programs/inspector': [
    'client',
    'trace',
    'transport',
    'panel',
    'recording',
    'transcripts',
    'render',
    'protocol',
    'model',
    'conversation',
    'loopback',
  ],
  'programs/cli': [
    'client',
    'programs/inspector',
    'node',
    'transcripts',
    'recording',
    'render',
    'conversation',
    'model',
    'protocol',
    'transport',
  ],
};

/** The same within `client`, whose folders stand on each other. */
const clientArrows: Readonly<Record<string, readonly string[]>> = {
  'client/calls': [],
  'client/session/machine': [],
  'client/session': ['client/calls', 'client/session/machine'],
  'client/requests': ['client/session'],
  client: ['client/calls', 'client/requests', 'client/session', 'client/session/machine'],
};

/** Packages, and the folders and files that may import them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'vscode-jsonrpc': ['rpc'],
  valibot: [
    'protocol',
    'transport',
    'client',
    'panel',
    'programs/inspector',
    'tools',
    'testing',
    'recording',
    'node',
    'transcripts',
    'programs/demo',
    'programs/cli',
    'base',
  ],
  '@modelcontextprotocol/server': ['tools'],
  '@modelcontextprotocol/server/stdio': ['tools'],
  '@valibot/to-json-schema': ['tools'],
  // Types only: its entry loads no package.
  ai: ['bridges'],
  '@ag-ui/client': ['bridges'],
  'cross-spawn': ['node'],
  diff: ['render', 'programs/demo', 'programs/inspector'],
  'markdown-it': ['markdown'],
  'preact/hooks': ['programs/inspector'],
  // A program that does not reach a remote agent loads none of these three.
  'eventsource-parser': ['transport'],
  'set-cookie-parser': ['transport'],
  ws: ['transport'],
  'signal-exit': ['node'],
};

/** The files of other folders that run in Node only. They are loaded when they are used. A page has none of them. */
const nodeFiles: ReadonlySet<string> = new Set([
  'programs/inspector/server/channels.ts',
  'programs/inspector/server/feed.ts',
  'programs/inspector/server/serve.ts',
  'tools/http.ts',
  'tools/private-folder.ts',
  'tools/socket-wire.ts',
  'tools/stdio.ts',
]);

const mayImport = (rooms: Readonly<Record<string, readonly string[]>>, from: string, to: string): boolean =>
  from === 'entries' || from === to || (rooms[from]?.includes(to) ?? false);

describe('the imports of src', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(imports.length).toBeGreaterThan(200);
  });

  test('have no cycles, imports of types included', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });

  test('follow the arrows between rooms', () => {
    const wrong = imports.filter(({ from, to }) => {
      const target = folderOf(to);
      return to.endsWith('.ts') && target !== 'base' && !mayImport(arrows, folderOf(from), target);
    });
    expect(wrong).toEqual([]);
  });

  test('follow the arrows between the folders of client', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        folderOf(from) === 'client' &&
        folderOf(to) === 'client' &&
        !mayImport(clientArrows, dirname(from), dirname(to)),
    );
    expect(wrong).toEqual([]);
  });

  test("of a session's machine are from model and base, so that it is pure", () => {
    const machine = imports.filter(({ from }) => dirname(from) === 'client/session/machine');
    expect(machine.length).toBeGreaterThan(20);
    expect(
      machine.filter(
        ({ from, to }) => !['model', 'base'].includes(folderOf(to)) && dirname(from) !== dirname(to),
      ),
    ).toEqual([]);
  });

  test('do not name an entry of the package', () => {
    expect(imports.filter(({ to }) => entries.has(to))).toEqual([]);
  });

  test('of packages are in their folders, and imports from Node in folders that need it', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (/\.(ts|json)$/.test(to)) return false;
      const folder = folderOf(from);
      if (to.startsWith('node:')) return !nodeOnly.has(folder) && !nodeFiles.has(from);
      return !packages[to]?.includes(folder);
    });
    expect(wrong).toEqual([]);
  });
});

test.each([arrows, clientArrows])('the arrows between rooms have no cycles', (rooms) => {
  const edges = Object.entries(rooms).flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  expect(cyclesOf(edges)).toEqual([]);
});

// A saved test connects as its recording did.
const comparesVersion = new Set(['programs/inspector/save/client-script.ts']);

test('only protocol, demo, testing, recording, cli and saved tests compare the version', () => {
  const wrong = files.filter(
    (file) =>
      !['protocol', 'programs/demo', 'testing', 'recording', 'programs/cli'].includes(folderOf(file)) &&
      !comparesVersion.has(file) &&
      /(?:protocolVersion|dialect(?:\.name)?)\s*[!=]==\s*['\d]/.test(sourceOf(file)),
  );
  expect(wrong).toEqual([]);
});

describe('the search for cycles', () => {
  const edges = (...pairs: readonly string[]) =>
    pairs.map((pair) => ({ from: pair.charAt(0), to: pair.charAt(1) }));

  test('finds cycles of any length, and several of them', () => {
    expect(cyclesOf(edges('ab', 'bc', 'ca', 'cd', 'de', 'ed', 'ef'))).toEqual([
      ['d', 'e'],
      ['a', 'b', 'c'],
    ]);
    expect(cyclesOf(edges('aa'))).toEqual([['a']]);
  });

  test('accepts a graph in which paths meet', () => {
    expect(cyclesOf(edges('ab', 'ac', 'bd', 'cd', 'de'))).toEqual([]);
  });
});
