import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './docs/pages.ts';

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

/** Each file in `test`, parsed. */
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts'))
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
  const found = files
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
