// Builds the page of the inspector: one HTML file with its script and its style, whose hashes its content security policy
// names.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { checkPackages, options } from './page.mjs';

const root = resolve(import.meta.dirname, '..');
const page = join(root, 'src/programs/inspector/page');

async function bundle(given) {
  const { outputFiles, metafile } = await build({ ...options, write: false, absWorkingDir: root, ...given });
  checkPackages(metafile);
  return outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = await bundle({
  entryPoints: [join(page, 'main.tsx')],
  format: 'iife',
});
const style = await bundle({
  stdin: {
    contents: `@import "../../../core/render/entry.css"; @import "./style/page.css"; @import "./style/layout.css";`,
    resolveDir: page,
    loader: 'css',
  },
});
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
if (/<\/(?:script|style)/i.test(script + style)) throw new Error('The page would end its script too early.');
const template = await readFile(join(page, 'index.html'), 'utf8');
await mkdir(join(root, 'dist'), { recursive: true });
const html = template
  .replace('content="CSP"', () => `content="${policy}"`)
  .replace('/* STYLE */', () => style)
  .replace('/* SCRIPT */', () => script);
await writeFile(join(root, 'dist/inspector.html'), html);
// What the package has: only the command line reads it.
await writeFile(join(root, 'dist/inspector.html.br'), brotliCompressSync(html));
