import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { removedVariables, savedVariables } from '../../../src/node/environment/editor-variables.ts';
import { expectGenerated, table } from './generated.ts';
import { root } from './pages.ts';

const path = 'src/node/environment/editor-variables.ts';
const source = ts.createSourceFile(
  path,
  readFileSync(join(root, path), 'utf8'),
  ts.ScriptTarget.Latest,
  true,
);

/** The comments before the entries of a list, in order. */
function commentsIn(list: string): readonly string[] {
  const declaration = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find(({ name }) => name.getText() === list);
  if (!declaration?.initializer || !ts.isArrayLiteralExpression(declaration.initializer)) return [];
  return declaration.initializer.elements.map((element) =>
    (ts.getLeadingCommentRanges(source.text, element.getFullStart()) ?? [])
      .map(({ pos, end }) => source.text.slice(pos, end).replace(/^\/\/ /, ''))
      .join(' '),
  );
}

/** The reason and the source of an entry, from its comment. */
function reason(comment: string | undefined): string {
  const [, text = '', url = ''] = /^(.*\.) (https:\/\/\S+)$/.exec(comment ?? '') ?? [];
  expect(url, `the comment "${comment}" is a reason and a source`).not.toBe('');
  return `${text} [Source](${url})`;
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const removedComments = commentsIn('removedVariables');
const savedComments = commentsIn('savedVariables');

test('the table of the variables that programs do not inherit is up to date', () => {
  expect(removedComments).toHaveLength(removedVariables.length);
  expect(savedComments).toHaveLength(savedVariables.length);
  const removed = removedVariables.map(({ names, except = [], onlyWith }, index) => [
    code(names),
    [
      'removed',
      ...(except.length === 0 ? [] : [`, except ${code(except)}`]),
      ...(onlyWith === undefined ? [] : [`, if there is \`${onlyWith}\``]),
    ].join(''),
    reason(removedComments[index]),
  ]);
  const saved = savedVariables.map(({ saved: name, original }, index) => [
    code([name]),
    `removed; \`${original}\` gets its value`,
    reason(savedComments[index]),
  ]);
  const appImage = [
    'lists of paths',
    'lose their entries within `APPDIR`, if there is `APPIMAGE`',
    'The launcher of an AppImage puts its own directories first, and programs then load its libraries. [Source](https://github.com/AppImage/AppImageKit/blob/master/src/AppRun.c)',
  ];
  const rows = [...removed, appImage, ...saved];
  expectGenerated(
    'docs/starting-agents.md',
    'editor-variables',
    table(['variable', 'change', 'reason'], rows),
  );
});
