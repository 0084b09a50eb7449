import { describe, expect, test } from 'vitest';
import { cyclesOf, entries, files, folderOf, imports, sourceOf } from './imports.ts';

/** The folders that each folder may import from, besides itself and the shared files. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  model: [],
  protocol: ['model'],
  conversation: ['model'],
  render: ['model', 'conversation'],
  transport: [],
  rpc: ['transport'],
  trace: [],
  client: ['trace', 'rpc', 'transport', 'conversation', 'model', 'protocol'],
  panel: ['client', 'transport', 'protocol', 'model', 'conversation'],
  node: ['client', 'rpc', 'transport', 'protocol', 'model', 'conversation'],
  vscode: ['client', 'panel', 'trace', 'render', 'rpc', 'transport', 'protocol', 'model'],
  loopback: [],
  tools: ['client', 'trace', 'node', 'rpc', 'transport', 'protocol', 'loopback'],
  testing: ['client', 'trace', 'rpc', 'transport', 'protocol', 'model', 'conversation'],
  inspector: [
    'client',
    'trace',
    'transport',
    'panel',
    'testing',
    'render',
    'protocol',
    'model',
    'conversation',
    'loopback',
  ],
  demo: ['testing', 'rpc', 'transport', 'protocol'],
  cli: [
    'client',
    'inspector',
    'trace',
    'node',
    'testing',
    'render',
    'conversation',
    'model',
    'protocol',
    'rpc',
    'transport',
  ],
};

/** Files at the top of `src` that every folder may import. */
const shared: ReadonlySet<string> = new Set([
  'diagnostic.ts',
  'errors.ts',
  'inspect.ts',
  'issue.ts',
  'json.ts',
  'known-texts.ts',
  'listeners.ts',
  'options.ts',
  'printable.ts',
  'process-exit.ts',
  'remote-reason.ts',
  'request-id.ts',
  'secrets.ts',
  'terminal-change.ts',
  'wait.ts',
]);

/** Packages, and the folders and files that may import them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'vscode-jsonrpc': ['rpc'],
  valibot: [
    'protocol',
    'transport',
    'client',
    'panel',
    'inspector',
    'tools',
    'testing',
    'node',
    'demo',
    'cli',
    'issue.ts',
    'options.ts',
  ],
  '@modelcontextprotocol/server': ['tools'],
  '@modelcontextprotocol/server/stdio': ['tools'],
  '@valibot/to-json-schema': ['tools'],
  'cross-spawn': ['node'],
  diff: ['render', 'demo', 'inspector'],
  'preact/hooks': ['inspector'],
  // A program that does not reach a remote agent loads none of these three.
  'eventsource-parser': ['transport'],
  'set-cookie-parser': ['transport'],
  ws: ['transport'],
  'signal-exit': ['node'],
};

/** What runs in Node only. */
const nodeOnly: ReadonlySet<string> = new Set(['node', 'cli', 'demo', 'loopback']);

/** The files of other folders that run in Node only. They are loaded when they are used. A page has none of them. */
const nodeFiles: ReadonlySet<string> = new Set([
  'inspector/server/channels.ts',
  'inspector/server/feed.ts',
  'inspector/server/serve.ts',
  'tools/http.ts',
  'tools/private-folder.ts',
  'tools/socket-wire.ts',
  'tools/stdio.ts',
]);

describe('the imports of src', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(imports.length).toBeGreaterThan(200);
  });

  test('have no cycles, imports of types included', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });

  test('follow the arrows between folders', () => {
    const wrong = imports.filter(({ from, to }) => {
      const folder = folderOf(from);
      if (folder === '' || entries.has(from) || !to.endsWith('.ts')) return false;
      const target = folderOf(to);
      return target === '' ? !shared.has(to) : target !== folder && !arrows[folder]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  test('of a shared file are shared files', () => {
    const wrong = imports.filter(({ from, to }) => shared.has(from) && to.endsWith('.ts') && !shared.has(to));
    expect(wrong).toEqual([]);
  });

  test('do not name an entry of the package', () => {
    expect(imports.filter(({ to }) => entries.has(to))).toEqual([]);
  });

  test('of packages are in their folders, and imports from Node in folders that need it', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (/\.(ts|json)$/.test(to)) return false;
      const folder = folderOf(from) || from;
      if (to.startsWith('node:')) return !nodeOnly.has(folder) && !nodeFiles.has(from);
      return !packages[to]?.includes(folder);
    });
    expect(wrong).toEqual([]);
  });
});

test('the arrows between folders have no cycles', () => {
  const edges = Object.entries(arrows).flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  expect(cyclesOf(edges)).toEqual([]);
});

// A saved test connects as its recording did.
const comparesVersion = new Set(['inspector/save/client-script.ts']);

test('only protocol, demo, testing, cli and saved tests compare the version', () => {
  const wrong = files.filter(
    (file) =>
      !['protocol', 'demo', 'testing', 'cli'].includes(folderOf(file)) &&
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
