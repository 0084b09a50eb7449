// Builds the ES modules. `commonjs.mjs` makes the CommonJS modules of them.
import { readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { bundled, entries, programs } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');
const { dependencies } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));

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

await rm(`${root}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { ...entries, ...programs },
  outdir: 'dist',
  bundle: true,
  // One copy of each class for all entries, so that `instanceof` holds between them.
  splitting: true,
  format: 'esm',
  target: 'node20',
  platform: 'neutral',
  mainFields: ['main'],
  external: ['node:*', ...Object.keys(dependencies).filter((name) => !bundled.includes(name))],
  plugins: [importBuiltins],
  logLevel: 'warning',
});
