// What the build makes: the entries of the package and its programs, by the name of their file in `dist`.

/** The entries that users import. */
export const entries = {
  index: 'src/entries/index.ts',
  node: 'src/entries/node.ts',
  'ag-ui': 'src/entries/ag-ui.ts',
  'ai-sdk': 'src/entries/ai-sdk.ts',
  conversation: 'src/entries/conversation.ts',
  markdown: 'src/entries/markdown.ts',
  panel: 'src/entries/panel.ts',
  'schema-v1': 'src/entries/schema-v1.ts',
  'schema-v2': 'src/entries/schema-v2.ts',
  testing: 'src/entries/testing.ts',
  tools: 'src/entries/tools.ts',
  transcripts: 'src/entries/transcripts.ts',
  vscode: 'src/entries/vscode.ts',
};

/** Parts of an entry with a name of their own, by which package.json leaves them out of pages (its field `browser`). */
export const nodeParts = {
  'tools-http': 'src/tools/http.ts',
  'tools-stdio': 'src/tools/stdio.ts',
  'ws-package': 'src/core/transport/http/ws-package.ts',
};

export const programs = { cli: 'src/programs/cli/index.ts', 'demo-agent': 'src/programs/demo/index.ts' };

/**
 * The packages whose code is in `dist`. CommonJS that requires modules of Node cannot be bundled as ES module by the
 * bundlers of users. See docs/decisions/0018-cross-spawn-is-bundled.md.
 */
export const bundled = ['cross-spawn', 'signal-exit'];

/** The packages whose code is in the files for pages: the page of the inspector, and the element of the panel. */
export const bundledInPages = [
  'preact',
  'diff',
  'valibot',
  'markdown-it',
  'mdurl',
  'uc.micro',
  'punycode.js',
  'highlight.js',
];
