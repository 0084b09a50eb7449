import { defineConfig } from 'tsup';

const entries = {
  index: 'src/index.ts',
  node: 'src/node/index.ts',
  conversation: 'src/conversation/index.ts',
  'schema-v1': 'src/schema-v1.ts',
  'schema-v2': 'src/schema-v2.ts',
  testing: 'src/testing/index.ts',
};
const programs = { cli: 'src/cli/index.ts', 'demo-agent': 'src/demo/index.ts' };

// Builds the ES modules. `.build/commonjs.mjs` makes the CommonJS modules of them.
// biome-ignore lint/style/noDefaultExport: tsup reads its configuration from the default export.
export default defineConfig({
  entry: { ...entries, ...programs },
  format: 'esm',
  target: 'node20',
  platform: 'neutral',
  // One copy of each class for all entries, so that `instanceof` holds between them.
  splitting: true,
  // Every runtime and every bundler recognizes "node:fs" as a module of Node. "fs" could be a package.
  removeNodeProtocol: false,
  external: [/^node:/],
  dts: { entry: entries, compilerOptions: { stripInternal: true } },
  clean: true,
  silent: true,
});
