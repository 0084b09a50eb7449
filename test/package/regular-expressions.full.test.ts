import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { expect, onTestFinished, test, vi } from 'vitest';
import { root } from './entries.ts';

interface Expression {
  /** The file below `src`. */
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Expressions whose time is not linear, by the begin of their source, and why they meet no long text. */
const bounded = [
  { file: 'core/render/facts.ts', begin: String.raw`\B(?=(?:\d{3})+$)`, text: 'the digits of a number' },
  { file: 'agents/probe/problems.ts', begin: String.raw`\bUnsupported engine\b`, text: 'the end of stderr' },
  { file: 'agents/probe/problems.ts', begin: String.raw`\bcannot execute`, text: 'the end of stderr' },
  {
    file: 'programs/inspector/page/json-text.tsx',
    begin: '("',
    text: 'JSON, whose texts end, or its beginning',
  },
];

/** The files that make expressions of parts, with complete forms. What the first one makes is looked at itself. */
const constructed: Readonly<Record<string, readonly string[]>> = {
  // The beginnings of secrets, each of a fixed length.
  'core/base/known-texts.ts': ['abcd|bcde'],
  'core/base/printable.ts': [],
  'programs/demo/updates.ts': ['.{1,24}'],
  'core/protocol/local-dialect.ts': [String.raw`\/work\/project|\/work`],
  // Each part has a fixed length, but for one sequence of pictographs, whose parts begin with another character.
  'core/render/columns.ts': [String.raw`(?:\u200d[\ud83d\ude00])+`],
  // The words of a search, each with its characters escaped.
  'records/transcripts/search.ts': ['leap[^a-z0-9]+year'],
  'ui/panel-element/transcript/highlight.ts': ['leap[^a-z0-9]*year'],
};

const undecidedMs = 600_000;

/** Whether the time of an expression grows no faster than the text. */
function isLinear({ source, flags }: Omit<Expression, 'file'>): boolean {
  // Without a repetition that has no end, it looks at a number of characters.
  if (!/[*+]|\{\d+,\}/.test(source)) return true;
  // Most take a few milliseconds. The limit is for an expression that cannot be decided, also on a busy machine.
  return checkSync(source, flags, { timeout: undecidedMs, randomSeed: 1 }).status === 'safe';
}

const sources: readonly string[] = (await readdir(join(root, 'src'), { recursive: true }))
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(sep).join('/'));

async function parsed(file: string): Promise<ts.SourceFile> {
  const text = await readFile(join(root, 'src', file), 'utf8');
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function nodesOf(node: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
}

test('no regular expression takes longer than a text is long, but for those that meet short texts only', {
  timeout: undecidedMs,
}, async () => {
  const found = new Map<string, Expression>();
  for (const file of sources) {
    for (const node of nodesOf(await parsed(file))) {
      if (!ts.isRegularExpressionLiteral(node)) continue;
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.set(`${file}: ${source}`, { file, source, flags });
    }
  }
  expect(found.size).toBeGreaterThan(100);
  const begins = bounded.map(({ file, begin }) => `${file}: ${begin}`);
  const isBounded = (place: string) => begins.some((begin) => place.startsWith(begin));
  // A reason for an expression that is gone is out of date.
  expect(begins.filter((begin) => ![...found.keys()].some((place) => place.startsWith(begin)))).toEqual([]);
  const slow = [...found].filter(([place, expression]) => !isBounded(place) && !isLinear(expression));
  expect(slow.map(([place]) => place)).toEqual([]);
});

test('no regular expression that is made of parts takes longer than a text is long', async () => {
  const made: Expression[] = [];
  const places: string[] = [];
  for (const file of sources) {
    const isConstructed = (node: ts.Node) =>
      ts.isNewExpression(node) && node.expression.getText() === 'RegExp';
    if (nodesOf(await parsed(file)).some(isConstructed)) places.push(file);
  }
  expect(places.sort()).toEqual(Object.keys(constructed).sort());
  for (const [file, forms] of Object.entries(constructed))
    for (const source of forms) made.push({ file, source, flags: '' });
  vi.resetModules();
  const { printable } = await import('../../src/core/base/printable.ts');
  const construct = (target: typeof RegExp, [source, flags = '']: [string, string?]) => {
    made.push({ file: 'core/base/printable.ts', source, flags });
    return new target(source, flags);
  };
  vi.stubGlobal('RegExp', new Proxy(RegExp, { construct }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const before = made.length;
  expect(printable('a\u200bb')).toBe('ab');
  expect(made).toHaveLength(before + 2);
  expect(made.filter((expression) => !isLinear(expression))).toEqual([]);
});

test.each([
  [String.raw`\s+\S*$`, ''],
  ['(a+)+$', ''],
  [String.raw`\$\{([^}]*)\}`, 'g'],
])('the check finds %s', (source, flags) => {
  expect(isLinear({ source, flags })).toBe(false);
});
