import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports: Import[] = files.flatMap((file) => {
  const source = readFileSync(join(root, file), 'utf8');
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g,
  );
  return [...found].map((match): Import => {
    const to = match[1] ?? match[2] ?? '';
    return { from: file, to: to.startsWith('.') ? relative(root, resolve(root, dirname(file), to)) : to };
  });
});

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** What each folder may import, beside itself and the files at the top that import nothing. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  model: [],
  protocol: ['model'],
  conversation: ['model'],
  render: ['model', 'conversation'],
  transport: [],
  rpc: ['transport'],
  trace: [],
  client: ['trace', 'rpc', 'transport', 'conversation', 'model', 'protocol'],
  node: ['client', 'rpc', 'transport', 'protocol', 'model', 'conversation'],
  testing: ['client', 'trace', 'rpc', 'transport', 'protocol', 'model', 'conversation'],
  demo: [],
  cli: [
    'client',
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

/** Files at the top that anybody may import, and the packages that only some may. */
const shared = new Set(['errors.ts', 'json.ts', 'diagnostic.ts', 'printable.ts', 'issue.ts', 'listeners.ts', 'options.ts', 'process-exit.ts', 'wait.ts']);
const packages: Readonly<Record<string, readonly string[]>> = {
  '#jsonrpc': ['transport', 'rpc'],
  'vscode-jsonrpc': ['transport'],
  valibot: ['protocol', 'client', 'testing', 'node', 'issue.ts', 'options.ts'],
  'cross-spawn': ['node'],
};

test('the imports were found', () => {
  expect(files.length).toBeGreaterThan(60);
  expect(imports.length).toBeGreaterThan(200);
});

test('every import follows an arrow of the architecture', () => {
  const strays = imports.filter(({ from, to }) => {
    const here = folderOf(from);
    if (here === '' || !to.endsWith('.ts')) return false;
    const there = folderOf(to);
    return there === '' ? !shared.has(to) : there !== here && !arrows[here]?.includes(there);
  });
  expect(strays).toEqual([]);
});

test('packages are imported where they belong, and Node by node, the command line and the demo agent alone', () => {
  const strays = imports.filter(({ from, to }) => {
    if (/\.(ts|json)$/.test(to)) return false;
    const here = folderOf(from) || from;
    if (to.startsWith('node:')) return !['node', 'cli', 'cli.ts', 'demo', 'demo-agent.ts'].includes(here);
    return !packages[to]?.includes(here);
  });
  expect(strays).toEqual([]);
});

test('only protocol/ asks for the version', () => {
  const asking = files.filter(
    (file) =>
      !/^(protocol|demo|testing|cli)\//.test(file) &&
      /(?:protocolVersion|dialect(?:\.name)?)\s*[!=]==\s*['\d]/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(asking).toEqual([]);
});
