import { builtinModules } from 'node:module';
import { defineConfig, type Options } from 'tsup';

const entries = {
  index: 'src/index.ts',
  node: 'src/node/index.ts',
  conversation: 'src/conversation/index.ts',
  'schema-v1': 'src/schema-v1.ts',
  'schema-v2': 'src/schema-v2.ts',
  testing: 'src/testing/index.ts',
};
const programs = { cli: 'src/cli/index.ts', 'demo-agent': 'src/demo/index.ts' };

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Lets CommonJS code that is bundled import modules of Node. esbuild would leave a `require`, which an ES module does not
 * have, and which other bundlers cannot follow.
 */
const importBuiltins: Plugin = {
  name: 'import-builtins',
  setup(build) {
    const namespace = 'builtin';
    const filter = new RegExp(`^(?:${builtinModules.join('|')})$`);
    build.onResolve({ filter }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace } : undefined,
    );
    build.onLoad({ filter, namespace }, ({ path }) => ({ contents: `export * from 'node:${path}';` }));
  },
};

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
  // CommonJS that requires modules of Node cannot be bundled as ES module. See docs/decisions/0018-cross-spawn-is-bundled.md.
  noExternal: ['cross-spawn'],
  esbuildPlugins: [importBuiltins],
  esbuildOptions: (options) => {
    options.mainFields = ['main'];
  },
  dts: { entry: entries, compilerOptions: { stripInternal: true } },
  clean: true,
  silent: true,
});
