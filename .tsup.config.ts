import { defineConfig } from 'tsup';

const entries = {
  index: 'src/index.ts',
  node: 'src/node/index.ts',
  conversation: 'src/conversation/index.ts',
  'schema-v1': 'src/schema-v1.ts',
  'schema-v2': 'src/schema-v2.ts',
  testing: 'src/testing/index.ts',
};
// Programs are ES modules only: what is built of them as CommonJS is not published.
const programs = { cli: 'src/cli/index.ts', 'demo-agent': 'src/demo/index.ts' };

// biome-ignore lint/style/noDefaultExport: this is how tsup takes its configuration.
export default defineConfig({
  entry: { ...entries, ...programs },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  // One copy of each class for all entries, so that `instanceof` holds between them.
  splitting: true,
  // "node:fs" says what it is to every run time and bundler; "fs" could be a package.
  removeNodeProtocol: false,
  // Resolved where the package is used, by `imports` in package.json: to one file in a browser, to another in Node.
  external: ['#jsonrpc', /^node:/],
  dts: { entry: entries, compilerOptions: { stripInternal: true } },
  sourcemap: true,
  esbuildOptions(options, { format }) {
    // The maps name the files in src, which are published as well.
    options.sourcesContent = false;
    // In CommonJS it is a syntax error, even where it is not reached.
    if (format === 'cjs') options.define = { ...options.define, 'import.meta.url': 'undefined' };
  },
  clean: true,
  silent: true,
});
