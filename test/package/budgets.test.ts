import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import ts from 'typescript';
import { expect, test } from 'vitest';
import budgets from '../../budgets.json' with { type: 'json' };
import { temporaryFolder } from '../support/temporary-folder.ts';
import allowed from './allowed.json' with { type: 'json' };
import { root } from './docs/pages.ts';
import { folderOf } from './imports.ts';

/** Tokens that the parser finds, and the scanner alone does not: where one ends depends on what is before it. */
const isParsed = (node: ts.Node) =>
  ts.isRegularExpressionLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isStringLiteral(node);

/** The comments of the languages that TypeScript does not parse. */
const comments: Readonly<Record<string, RegExp>> = {
  '.css': /\/\*[\s\S]*?\*\//g,
  '.html': /<!--[\s\S]*?-->/g,
  '.sh': /^\s*#.*/gm,
};

const plainComment = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*|#!.*)$/gm;

/** Whether each comment has lines of its own, and no text has several lines: the parser, which takes long, is not needed. */
const isPlain = (path: string, text: string) =>
  !/x$/.test(path) &&
  !/\S[ \t]*\/\*|\*\/[ \t]*\S/.test(text) &&
  text.split('\n').every((line) => line.split('`').length % 2 === 1);

/** Whether the lines of a file count. */
const isCode = (path: string): boolean => extname(path) in comments || /\.(?:tsx?|mts|mjs|jsx?)$/.test(path);

/** How many lines of a file have more than comments. Blank lines of a text do not count. */
function codeLines(path: string): number {
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

type Numbers = Readonly<Record<string, number>>;

/** What is above its budget, or has none. */
function above(measured: Numbers, budget: Numbers): readonly string[] {
  return Object.entries(measured).flatMap(([name, value]) => {
    const limit = budget[name];
    if (limit === undefined) return [`${name} has ${value} and no budget`];
    return value > limit ? [`${name} has ${value}, and its budget is ${limit}`] : [];
  });
}

/** The files of the repository, also those that are not committed yet. */
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const trackedFiles = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // A run writes the list of flaky tests. A flaky test must not make another one fail.
  .filter((path) => path !== 'test/gate/flaky.json' && existsSync(join(root, path)));

/** The room of a file, such as `client` or `programs/cli`. */
const roomOf = (path: string) => folderOf(path.slice('src/'.length));

const counted = trackedFiles.filter(isCode).map((path) => ({ path, lines: codeLines(join(root, path)) }));

const linesOf = (folder: string) => counted.filter(({ path }) => path.startsWith(`${folder}/`));

const sum = (all: readonly { readonly lines: number }[]) =>
  all.reduce((total, { lines }) => total + lines, 0);

const floorOf = (path: string) => path.split('/')[1] ?? '';

/** The lines of all files with the same answer. */
function linesBy(group: (path: string) => string): Numbers {
  const lines: Record<string, number> = {};
  for (const file of linesOf('src')) lines[group(file.path)] = (lines[group(file.path)] ?? 0) + file.lines;
  return lines;
}

test('neither the sources, nor a floor or a room of them, have more lines of code than their budget', () => {
  const { src, floors, rooms } = budgets.codeLines;
  const ofRooms = linesBy(roomOf);
  expect(above({ src: sum(linesOf('src')) }, { src })).toEqual([]);
  expect(above(linesBy(floorOf), floors)).toEqual([]);
  expect(above(ofRooms, rooms)).toEqual([]);
  expect(Object.keys(rooms).filter((room) => !(room in ofRooms))).toEqual([]);
});

test('neither the product nor the tests have more lines of code than their budget', () => {
  const { product, tests } = budgets.codeLines;
  const ofTests = sum(linesOf('test'));
  expect(above({ product: sum(counted) - ofTests, tests: ofTests }, { product, tests })).toEqual([]);
});

test('the repository has no more files and scripts than its budget', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const measured = { files: trackedFiles.length, scripts: Object.keys(scripts).length };
  expect(above(measured, budgets.repository)).toEqual([]);
});

test.each<readonly [code: string, lines: number]>([
  ['', 0],
  ['// only\n\n/* a\n\n comment */\n', 0],
  ['/** Says what. */\nconst a = 1; // why\n\n', 1],
  ['const a = /[/*]/; /* of\n two */ const b = 2;\n', 2],
  [`const a = \`\n// text\n\n\${1 /* no\n text */}\`;\n`, 4],
  ["const a = <p>\n  // text of 'a page\n  {/* none */}\n</p>;\n", 4],
])('%j has %i lines of code', (code, lines) => {
  for (const name of code.includes('<p>') ? ['counted.tsx'] : ['counted.tsx', 'counted.ts']) {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, code);
    expect(codeLines(path), name).toBe(lines);
  }
});

test.each([
  ['css', '/* a\n b */\np { color: red; }\n\n'],
  ['html', '<!-- a\n -->\n<p>text</p>\n'],
  ['sh', '#!/bin/sh\n\n# a\ntrue\n'],
])('a comment of a %s file is no line of code', (extension, code) => {
  const path = join(temporaryFolder(), `counted.${extension}`);
  writeFileSync(path, code);
  expect(codeLines(path)).toBe(1);
});

const { gzipKib } = budgets;
const bundles = allowed['folders or files of src in a bundle'];

/** Leaves what is imported with `import()` to another file, as bundlers do that split the code. */
const importedLater: Plugin = {
  name: 'imported-later',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Bundles a program that is given as text. Without other plugins, what it imports only when it needs it is in other files,
 * and not counted.
 */
async function bundle(
  contents: string,
  platform: NonNullable<BuildOptions['platform']>,
  plugins: readonly Plugin[] = [importedLater],
) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    legalComments: 'none',
    write: false,
    metafile: true,
    plugins: [...plugins],
  });
  const gzipped = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 });
  /** What the output has of each file, in bytes. */
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  return { kib: gzipped.length / 1024, files };
}

/** What a page loads, by its name in budgets.json: minified and gzipped. */
const pages = {
  'all of .': "export * from './src/entries/index.ts';",
  'all of ./conversation': "export * from './src/entries/conversation.ts';",
  'the store of conversations': "export { createConversationStore } from './src/entries/conversation.ts';",
  'the mirror of a conversation': "export { createConversationMirror } from './src/entries/conversation.ts';",
  'an extension of VS Code without a panel':
    "export { workspaceBuffers, workspaceFiles, workspaceSession, workspaceTerminals } from './src/entries/vscode.ts';",
  'the page of a panel': "export { connectPanel, webSocketChannel } from './src/entries/panel.ts';",
} as const;

test.each(Object.entries(pages))('%s is not above its budget', async (name, contents) => {
  const { kib } = await bundle(contents, 'browser');
  const limit = gzipKib[name as keyof typeof pages]; // The keys of `pages`.
  expect(kib).toBeLessThanOrEqual(limit);
  // A bundle that is empty by mistake is no small one.
  expect(kib).toBeGreaterThan(limit / 2);
});

test('the element of the panel, as it is published, is not above its budget', () => {
  const { length } = gzipSync(readFileSync(join(root, 'dist/panel-element.js')), { level: 9 });
  expect(length / 1024).toBeLessThanOrEqual(gzipKib['the element of the panel']);
});

const program =
  "export { connect } from './src/entries/index.ts'; export { spawnAgent } from './src/entries/node.ts';";

test('a page that reaches a remote agent loads its code for HTTP only when it makes the transport', async () => {
  const { kib, files } = await bundle("export { remoteTransport } from './src/entries/index.ts';", 'browser');
  expect(
    files.filter((file) => /src\/core\/transport\/http\/|eventsource-parser|set-cookie-parser/.test(file)),
  ).toEqual([]);
  expect(kib).toBeLessThanOrEqual(gzipKib['the options of a remote agent']);
});

test('a program in one file that reaches no remote agent has almost nothing of their code', async () => {
  const { kib, files } = await bundle(program, 'node', []);
  expect(files.filter((file) => /src\/core\/transport\/(?:http|remote|late)/.test(file))).toEqual([]);
  // It has a parser of cookies, which esbuild does not leave out: 1.4 KiB.
  expect(kib).toBeLessThanOrEqual(gzipKib['a program in one file that starts an agent']);
});

test.each([
  pages['the store of conversations'],
  pages['the mirror of a conversation'],
  "export { exportConversation } from './src/entries/conversation.ts';",
  "export * from './src/entries/index.ts';",
])('what does not import saved conversations has no code that checks them: %s', async (contents) => {
  const { files } = await bundle(contents, 'browser');
  expect(files.filter((file) => /src\/records\/saved\/(?:check|import|shape)/.test(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(0);
});

test('a program that starts an agent and connects to it has no code of other features', async () => {
  const { files, kib } = await bundle(program, 'node');
  expect(kib).toBeLessThanOrEqual(gzipKib['a program that starts an agent']);
  expect(kib).toBeGreaterThan(gzipKib['a program that starts an agent'] / 2);
  expect(files.filter((file) => /@modelcontextprotocol|to-json-schema|zod/.test(file))).toEqual([]);
  const own = files.filter((file) => file.startsWith('src/'));
  const folders = new Set(own.map((file) => file.slice(0, file.lastIndexOf('/'))));
  // No `programs`, `loopback`, `panel`, `render`, `testing`, `tools` or `vscode`. A folder below `node` is for a
  // feature that is imported by its name, such as the registry, unless every start of an agent needs it.
  expect([...folders].sort()).toEqual(bundles['a program that starts an agent and connects to it']);
  const others =
    /^src\/(?:agents|node)\/(?:.+\/)?(?:demo-agent|file-system|login-shell|mcp-config|node-command|probe|terminal)|path-syntax|replace-paths/;
  expect(own.filter((file) => others.test(file))).toEqual([]);
});

test('a page that connects a panel has nothing of the client', async () => {
  const { files } = await bundle("export { connectPanel } from './src/entries/panel.ts';", 'browser');
  const own = files.filter((file) => file.startsWith('src/'));
  expect([...new Set(own.map((file) => file.slice(0, file.lastIndexOf('/'))))].sort()).toEqual(
    bundles['a page that connects a panel'],
  );
  expect(own).not.toContain('src/ui/panel/serve.ts');
});

test('the entry for AI SDK loads no package, and nothing of the client but what it calls', async () => {
  const { kib, files } = await bundle("export * from './src/entries/ai-sdk.ts';", 'browser', []);
  expect(kib).toBeLessThanOrEqual(7.51);
  expect(kib).toBeGreaterThan(3);
  expect(files.filter((file) => !/^src\/ui\/(?:ai-sdk|bridges|questions)\//.test(file)).sort()).toEqual(
    bundles['the entry for AI SDK, besides its own rooms'],
  );
});

test('the entry for AG-UI loads no package, and nothing of the connection', async () => {
  const { kib, files } = await bundle("export * from './src/entries/ag-ui.ts';", 'browser', []);
  expect(kib).toBeLessThanOrEqual(gzipKib['all of ./ag-ui']);
  expect(kib).toBeGreaterThan(gzipKib['all of ./ag-ui'] / 2);
  const folders = files.map((file) => file.slice(0, file.lastIndexOf('/')));
  expect([...new Set(folders)].sort()).toEqual(bundles['the entry for AG-UI']);
});

test('the declarations of the schemas are not above their budget', async () => {
  const names = (await readdir(`${root}/dist`)).filter((name) => /^schema-.*\.d\.ts$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(`${root}/dist/${name}`)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  // With each type written out wherever it occurs, they had 1,044 kB.
  expect(bytes).toBeLessThanOrEqual(budgets.package.schemaDeclarationBytes);
  expect(bytes).toBeGreaterThan(45_000);
});
