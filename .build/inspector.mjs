// Builds the page of the inspector: one HTML file with its script and its style, whose hashes its content security policy
// names.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundledInPage } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');
const page = join(root, 'src/programs/inspector/page');
// Light and dark colors in one declaration, and the scope of the style of entries.
const target = ['es2022', 'chrome123', 'firefox121', 'safari17.5'];

/** What a module exports, with which the page is built. It runs now, so that the page has its result alone. */
async function runNow(file) {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
  try {
    const outfile = join(folder, 'built.mjs');
    await build({
      entryPoints: [join(page, file)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundle(options) {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    target,
    legalComments: 'none',
    logLevel: 'error',
    write: false,
    metafile: true,
    absWorkingDir: root,
    ...options,
  });
  const paths = Object.keys(metafile.inputs);
  const packages = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const unknown = packages.filter((name) => !bundledInPage.includes(name));
  if (unknown.length > 0) throw new Error(`The page has code of ${unknown[0]}: list it in entries.mjs.`);
  return outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const { style: rules } = await runNow('../../../render/html-style.ts');
const script = await bundle({
  entryPoints: [join(page, 'main.tsx')],
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
});
const style = await bundle({
  stdin: {
    contents: ['page', 'frame', 'lists', 'views'].map((name) => `@import "./style/${name}.css";`).join(''),
    resolveDir: page,
    loader: 'css',
  },
});
// The rules of the library's HTML hold for the entries alone.
const entryStyle = await bundle({
  stdin: { contents: `.entries article{${rules}}`, resolveDir: page, loader: 'css' },
});
const styles = `${entryStyle}\n${style}`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(styles)}`,
  // The positions of rows are set with the object model, which this does not concern.
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
if (/<\/(?:script|style)/i.test(script + styles)) throw new Error('The page would end its script too early.');
const template = await readFile(join(page, 'index.html'), 'utf8');
await mkdir(join(root, 'dist'), { recursive: true });
const html = template
  .replace('content="CSP"', () => `content="${policy}"`)
  .replace('/* STYLE */', () => styles)
  .replace('/* SCRIPT */', () => script);
await writeFile(join(root, 'dist/inspector.html'), html);
// What the package has: only the command line reads it.
await writeFile(join(root, 'dist/inspector.html.br'), brotliCompressSync(html));
