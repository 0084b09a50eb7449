import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import ts from 'typescript';

/** Tokens that the parser finds, and the scanner alone does not: where one ends depends on what is before it. */
const isParsed = (node: ts.Node) =>
  ts.isRegularExpressionLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isStringLiteral(node);

/** The comments of the languages that TypeScript does not parse. */
const comments: Readonly<Record<string, RegExp>> = {
  '.css': /\/\*[\s\S]*?\*\//g,
  '.html': /<!--[\s\S]*?-->/g,
  '.lua': /--.*/g,
  '.sh': /^\s*#.*/gm,
};

const plainComment = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*|#!.*)$/gm;

/** Whether each comment has lines of its own, and no text has several lines: the parser, which takes long, is not needed. */
const isPlain = (path: string, text: string) =>
  !/x$/.test(path) &&
  !/\S[ \t]*\/\*|\*\/[ \t]*\S/.test(text) &&
  text.split('\n').every((line) => line.split('`').length % 2 === 1);

/** Whether the lines of a file count. */
export const isCode = (path: string): boolean =>
  extname(path) in comments || /\.(?:tsx?|mts|mjs|jsx?)$/.test(path);

/** How many lines of a file have more than comments. Blank lines of a text do not count. */
export function codeLines(path: string): number {
  const text = readFileSync(path, 'utf8');
  const comment = comments[extname(path)] ?? (isPlain(path, text) ? plainComment : undefined);
  if (!comment) return scriptLines(path, text);
  return text
    .replace(comment, '')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
}

function scriptLines(path: string, text: string): number {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const texts = text.split('\n');
  const lines = new Set<number>();
  const mark = (start: number, end: number) => {
    for (let line = lineOf(start); line <= lineOf(end); line += 1) {
      if (texts[line]?.trim() !== '') lines.add(line);
    }
  };
  /** Where each of these tokens ends, by where it begins. The text between JSX tags begins with its white space. */
  const ends = new Map<number, number>();
  const jsxTexts = new Map<number, number>();
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node)) jsxTexts.set(node.pos, node.end);
    else if (isParsed(node)) ends.set(node.getStart(file), node.end);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  for (let position = 0; ; ) {
    const jsxEnd = jsxTexts.get(position);
    if (jsxEnd !== undefined && jsxEnd > position) {
      mark(position, jsxEnd);
      position = jsxEnd;
    } else {
      scanner.resetTokenState(position);
      if (scanner.scan() === ts.SyntaxKind.EndOfFileToken) return lines.size;
      const start = scanner.getTokenStart();
      position = ends.get(start) ?? scanner.getTokenEnd();
      mark(start, position);
    }
  }
}
