// Builds what pages run: the page of the inspector, one HTML file whose content security policy names the hashes of its
// script and its style, and the element of the panel, a module with its styles and its packages, and one for the colors of
// code, which it imports when code appears.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundledInPages } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  // Light and dark colors in one declaration, and rules within rules.
  target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
  logLevel: 'error',
};

/** Bundles a page of Preact. Throws an error if it has code of a package whose license the package would not have. */
async function bundle(given) {
  const { outputFiles, metafile } = await build({
    ...shared,
    legalComments: 'none',
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    ...given,
  });
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const unknown = names.find((name) => !bundledInPages.includes(name));
  if (unknown) throw new Error(`A page has code of ${unknown}: list it in entries.mjs.`);
  return outputFiles;
}

/** The text of a bundle that is not written. */
async function textOf(given) {
  const [file] = await bundle({ ...given, write: false });
  return file.text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

async function buildInspector() {
  const page = join(root, 'src/programs/inspector/page');
  const script = await textOf({ entryPoints: [join(page, 'main.tsx')], format: 'iife' });
  const style = await textOf({ entryPoints: [join(page, 'style/layout.css')] });
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    // The positions of rows are set with the object model, which this does not concern.
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  if (/<\/(?:script|style)/i.test(script + style))
    throw new Error('The page would end its script too early.');
  const template = await readFile(join(page, 'index.html'), 'utf8');
  const html = template
    .replace('content="CSP"', () => `content="${policy}"`)
    .replace('/* STYLE */', () => style)
    .replace('/* SCRIPT */', () => script);
  await writeFile(join(dist, 'inspector.html'), html);
  // What the package has: only the command line reads it.
  await writeFile(join(dist, 'inspector.html.br'), brotliCompressSync(html));
}

const room = join(root, 'src/ui/panel-element');
const colors = 'panel-element-code';
const replaced = join(room, 'markdown/replaced-packages.ts');

/** A style sheet that is imported is a text, with what it imports. */
const styleSheets = {
  name: 'style-sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...shared, entryPoints: [path], write: false });
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

const buildElement = (name, file) =>
  bundle({
    entryPoints: { [name]: join(room, file) },
    outdir: dist,
    format: 'esm',
    plugins: [styleSheets, laterFiles],
    // A browser has the table of entities, and nothing makes links of words.
    alias: {
      entities: join(room, 'markdown/html-entities.ts'),
      'linkify-it': replaced,
      'punycode.js': replaced,
    },
  });

await mkdir(dist, { recursive: true });
await Promise.all([
  buildInspector(),
  buildElement('panel-element', 'element.tsx'),
  buildElement(colors, 'markdown/code-languages.ts'),
  copyFile(join(room, 'panel-element.d.ts'), join(dist, 'panel-element.d.ts')),
]);
