// Bundles the modules in `dist`: ES modules of the entries and the programs, and CommonJS modules of the entries.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { transform } from 'esbuild';
import { defineConfig } from 'tsup';
import { bundled, entries, nodeParts, programs } from './entries.mjs';

/**
 * Lets CommonJS code that is bundled import modules of Node. esbuild would leave a `require`, which an ES module does not
 * have, and which other bundlers cannot follow.
 */
const importBuiltins = {
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

/** The declarations have the comments. Here they are a twentieth of the package. The names of the sources stay. */
const withoutComments = {
  name: 'without-comments',
  async renderChunk(code) {
    const comments = /^ +(?:\/\/.*\n|\/\*\*(?:.*\*\/\n|\n(?: +\*(?!\/).*\n)* +\*\/\n))/gm;
    const shorter = code.replace(comments, '');
    const [before, after] = await Promise.all([code, shorter].map(minified));
    if (before !== after) throw new Error('What looked like a comment is code.');
    return { code: shorter };
  },
};

const minified = (code) => transform(code, { minifyWhitespace: true }).then((result) => result.code);

const both = {
  target: 'node20',
  plugins: [withoutComments],
  // One copy of each class for all entries, so that `instanceof` holds between them.
  splitting: true,
  // Every runtime and every bundler recognizes "node:fs" as a module of Node. "fs" could be a package.
  removeNodeProtocol: false,
  noExternal: bundled,
  esbuildPlugins: [importBuiltins],
  silent: true,
};

const modules = {
  ...both,
  format: 'esm',
  entry: { ...entries, ...nodeParts, ...programs },
};

const commonJs = {
  ...both,
  format: 'cjs',
  entry: { ...entries, ...nodeParts },
  // Lets rollup write the CommonJS. tsup would use sucrase, which replaces `?.` and `??` with calls of functions.
  treeshake: true,
  // A syntax error in CommonJS, also if it is not reached.
  define: { 'import.meta.url': 'undefined' },
};

// biome-ignore lint/style/noDefaultExport: tsup reads its configuration from the default export.
export default defineConfig(async () => {
  // `clean` of tsup would remove files of the other format, because both are built at the same time.
  await rm('dist', { recursive: true, force: true });
  await mkdir('dist');
  await copyFile('src/core/render/entry.css', 'dist/entry.css');
  // TypeScript 7 refuses to import a style sheet without types.
  await writeFile('dist/entry.css.d.ts', 'export {};\n');
  return [modules, commonJs];
});
