import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { trackedFiles } from '../support/tracked-files.ts';
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

/** `setTimeout(resolve, 50)`, `sleep(50)` or `delay(50)`. */
const isPause = (node: ts.Node) =>
  (isCallOf(node, ['setTimeout']) && (numberOf(node.arguments[1]) ?? 0) > 0) ||
  (isCallOf(node, ['sleep', 'delay']) && (numberOf(node.arguments[0]) ?? 0) > 0);

const shapes: Readonly<Record<string, Shape>> = {
  'a fixed pause': {
    reason: 'Wait for the event. To show that nothing happens, call quietTime of test/support/quiet-time.ts.',
    in: /\.test\.ts$/,
    is: isPause,
  },
  'a list of diagnostics in a fixed order': {
    reason: 'Two diagnostics can come in any order: sort them, or expect each with arrayContaining.',
    in: programs,
    is: (node, file) =>
      ts.isCallExpression(node) &&
      /\.(?:toEqual|toMatchObject|toStrictEqual)$/.test(node.expression.getText(file)) &&
      /\b(?:diagnostics|rules)\b/.test(node.expression.getText(file)) &&
      node.arguments.some((list) => ts.isArrayLiteralExpression(list) && list.elements.length > 1),
  },
  'a short limit of time': {
    reason: 'On a busy machine another process takes longer. Use the default, or at least 2,000 ms.',
    in: programs,
    is: (node) =>
      ts.isPropertyAssignment(node) &&
      /^timeout(?:Ms)?$/.test(node.name.getText()) &&
      (numberOf(node.initializer) ?? 2000) < 2000,
  },
};

/** Each test file in `test`, parsed. */
const files = trackedFiles
  .filter((path) => path.startsWith('test/') && path.endsWith('.ts'))
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
