// Bundles the element of the panel for pages: one module with its styles and its packages, and one for the colors of
// code, which it imports when code appears.
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { checkPackages, options, target } from './page.mjs';

const root = resolve(import.meta.dirname, '..');
const room = join(root, 'src/ui/panel-element');
const dist = join(root, 'dist');
const colors = 'panel-element-code';
const replaced = join(room, 'markdown/replaced-packages.ts');

/** A style sheet that is imported is a text, with what it imports. */
const styleSheets = {
  name: 'style-sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        entryPoints: [path],
        bundle: true,
        minify: true,
        target,
        write: false,
        logLevel: 'error',
      });
      return { contents: outputFiles[0].text.trim(), loader: 'text' };
    });
  },
};

/** What is imported when it is needed is a file of its own. */
const laterFiles = {
  name: 'later-files',
  setup({ onResolve }) {
    onResolve({ filter: /\/code-languages\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${colors}.js`, external: true } : undefined,
    );
  },
};

async function bundle(name, file) {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: { [name]: join(room, file) },
    outdir: dist,
    format: 'esm',
    plugins: [styleSheets, laterFiles],
    // A browser has the table of entities, and nothing makes links of words.
    alias: Object.fromEntries(['entities', 'linkify-it', 'punycode.js'].map((name) => [name, replaced])),
  });
  checkPackages(metafile);
}

await Promise.all([
  bundle('panel-element', 'element.tsx'),
  bundle(colors, 'markdown/code-languages.ts'),
  copyFile(join(room, 'panel-element.d.ts'), join(dist, 'panel-element.d.ts')),
]);
