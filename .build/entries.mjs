// What the build makes: the entries of the package and its programs, by the name of their file in `dist`.

/** The entries that users import. */
export const entries = {
  index: 'src/index.ts',
  node: 'src/node/index.ts',
  conversation: 'src/conversation/index.ts',
  panel: 'src/panel/index.ts',
  'schema-v1': 'src/schema-v1.ts',
  'schema-v2': 'src/schema-v2.ts',
  testing: 'src/testing/index.ts',
  tools: 'src/tools/index.ts',
  vscode: 'src/vscode/index.ts',
};

/** Parts of an entry with a name of their own, by which package.json leaves them out of pages (its field `browser`). */
export const nodeParts = {
  'tools-http': 'src/tools/http.ts',
  'tools-stdio': 'src/tools/stdio.ts',
  'ws-package': 'src/transport/http/ws-package.ts',
};

export const programs = { cli: 'src/cli/index.ts', 'demo-agent': 'src/demo/index.ts' };

/**
 * The packages whose code is in `dist`. CommonJS that requires modules of Node cannot be bundled as ES module by the
 * bundlers of users. See docs/decisions/0018-cross-spawn-is-bundled.md.
 */
export const bundled = ['cross-spawn'];

/** The packages whose code is in the page of the inspector, which is a file of its own in `dist`. */
export const bundledInPage = ['preact', 'diff', 'valibot'];
