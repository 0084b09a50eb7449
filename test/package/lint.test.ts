import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import ts from 'typescript';
import { expect, test } from 'vitest';
import budgets from '../../budgets.json' with { type: 'json' };
import allowed from './allowed.json' with { type: 'json' };
import { root } from './entries.ts';
import { files, sourceOf } from './imports.ts';
import { tarball } from './installed.ts';

const run = promisify(execFile);

test('publint reports nothing about the package', async () => {
  const packed = new Uint8Array(await readFile(tarball())).buffer;
  const { messages } = await publint({ pack: { tarball: packed }, strict: true });
  // A condition of `exports` cannot leave out files that an entry loads late. The field `browser` can.
  const expected = 'USE_EXPORTS_OR_IMPORTS_BROWSER';
  expect(messages.filter(({ code }) => code !== expected)).toEqual([]);
});

/** What only a bundler or a page imports. */
const forPages = ['entry.css', 'panel-element'];

test('the types of every entry are found by import and by require', async () => {
  const attw = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball(), '--format', 'json'];
  const { stdout } = await run(
    process.execPath,
    [...attw, '--profile', 'node16', '--exclude-entrypoints', ...forPages, 'conversation.schema.json'],
    { cwd: root },
  );
  const problems: { readonly resolutionKind?: string }[] = Object.values(
    JSON.parse(stdout).problems,
  ).flat() as never;
  // The module resolution for Node 10 does not know `exports`.
  expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
});

test('knip finds neither unused code nor undeclared dependencies', async () => {
  const knip = run(process.execPath, ['node_modules/knip/bin/knip.js', '--no-progress'], { cwd: root });
  const { stdout } = await knip.catch((error: { readonly stdout: string }) => error);
  expect(stdout.trim()).toBe('');
});

test('the lock file does not name a registry', async () => {
  const lock = await readFile(`${root}/package-lock.json`, 'utf8');
  expect([...lock.matchAll(/"resolved": "(https?:[^"]*)"/g)].map(([, address]) => address)).toEqual([]);
});

test('the published package unpacks to less than its budget', async () => {
  // Each line of the listing has the size of a file in its third column.
  const { stdout } = await run('tar', ['-tvzf', tarball(), '--numeric-owner']);
  const sizes = stdout
    .trim()
    .split('\n')
    .map((line) => Number(line.split(/\s+/)[2]));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(budgets.package.unpackedBytes);
  expect(total).toBeGreaterThan(2_000_000);
});

/** The directories whose tests start programs. */
const programs = /^test\/(?:browser|chats|package|peers|process|remote|site)\//;

interface Shape {
  readonly reason: string;
  /** Whether a node of a test file has the shape. */
  readonly is: (node: ts.Node, file: ts.SourceFile) => boolean;
  readonly in: RegExp;
}

/** The value of a number in the source; `undefined` for anything else. */
const numberOf = (node: ts.Node | undefined) =>
  node && ts.isNumericLiteral(node) ? Number(node.text.replaceAll('_', '')) : undefined;

const isCallOf = (node: ts.Node, names: readonly string[]): node is ts.CallExpression =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && names.includes(node.expression.text);

/** `await sleep(50)` or `await new Promise((resolve) => setTimeout(resolve, 50))`. */
function isPause(node: ts.Node): boolean {
  if (!ts.isAwaitExpression(node)) return false;
  const { expression } = node;
  if (isCallOf(expression, ['sleep', 'delay', 'pause'])) return (numberOf(expression.arguments[0]) ?? 0) > 0;
  const [executor] = ts.isNewExpression(expression) ? (expression.arguments ?? []) : [];
  if (!executor || !ts.isArrowFunction(executor) || !isCallOf(executor.body, ['setTimeout'])) return false;
  return (numberOf(executor.body.arguments[1]) ?? 0) > 0;
}

const shapes: Readonly<Record<string, Shape>> = {
  'a fixed pause': {
    reason: 'Wait for the event. To show that nothing happens, call letTimePass of test/support/time.ts.',
    in: /\.test\.ts$/,
    is: isPause,
  },
  'a list of diagnostics in a fixed order': {
    reason: 'Two diagnostics can come in any order: sort them, or expect each with arrayContaining.',
    in: programs,
    is: (node, file) =>
      ts.isCallExpression(node) &&
      /\.(?:toEqual|toMatchObject|toStrictEqual)$/.test(node.expression.getText(file)) &&
      /^expect\((?!\[).*\b(?:diagnostics|rules)\b(?!.*[sS]ort)/s.test(node.expression.getText(file)) &&
      node.arguments.some((list) => ts.isArrayLiteralExpression(list) && list.elements.length > 1),
  },
  'a short limit of time': {
    reason:
      'On a busy machine another process takes longer. Use the default, or at least 2,000 ms; neverComesMs of test/support/time.ts for what never comes.',
    in: programs,
    is: (node) =>
      ts.isPropertyAssignment(node) &&
      /^timeout(?:Ms)?$/.test(node.name.getText()) &&
      // 0 is a wrong option. An error only has the value.
      (numberOf(node.initializer) || 2000) < 2000 &&
      !ts.isNewExpression(node.parent.parent),
  },
};

/** Each file in `test`, parsed. A folder that begins with a dot is of a test that runs. */
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.includes('/.'))
  .map((path) =>
    ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true),
  );

/** The lines of a file that have a shape. */
function linesWith({ is }: Shape, file: ts.SourceFile): readonly string[] {
  const lines: string[] = [];
  const visit = (node: ts.Node): void => {
    if (is(node, file))
      lines.push(`${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines;
}

test.each(Object.entries(shapes))('no test has %s', (_name, shape) => {
  const found = testFiles
    .filter(({ fileName }) => shape.in.test(fileName))
    .flatMap((file) => linesWith(shape, file));
  expect(found, shape.reason).toEqual([]);
});

test.each([
  ['a fixed pause', 'await delay(50);'],
  ['a fixed pause', 'await new Promise((resolve) => setTimeout(resolve, 1_000));'],
  ['a list of diagnostics in a fixed order', 'expect(diagnostics).toEqual([first, second]);'],
  ['a short limit of time', 'await connection.request(method, {}, { timeoutMs: 500 });'],
])('finds %s', (name, code) => {
  const file = ts.createSourceFile('x.test.ts', code, ts.ScriptTarget.Latest, true);
  expect(linesWith(shapes[name] as Shape, file)).toEqual(['x.test.ts:1']);
});

/** More state than this is a table with named states. */
const most = 5;

/** How many fields of each class can change: those that are not `readonly`. */
function mutableFields(file: string): readonly (readonly [name: string, count: number])[] {
  const found: [string, number][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) {
      const fields = node.members.filter(
        (member) =>
          ts.isPropertyDeclaration(member) &&
          !member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword),
      );
      found.push([`${file}#${node.name?.text ?? ''}`, fields.length]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, sourceOf(file), ts.ScriptTarget.Latest));
  return found;
}

// The list only becomes shorter, and a number smaller.
test('no class has more than five fields that can change, but for those in the list', () => {
  const classes = files.flatMap(mutableFields);
  expect(classes.length).toBeGreaterThan(100);
  expect(Object.fromEntries(classes.filter(([, count]) => count > most))).toEqual(
    allowed['classes with more than five fields that can change'],
  );
});
