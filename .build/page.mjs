// What the bundles for pages have in common.
import { bundledInPages } from './entries.mjs';

/** Light and dark colors in one declaration, and rules within rules. */
export const target = ['es2022', 'chrome123', 'firefox121', 'safari17.5'];

/** Options of esbuild for a page of Preact. */
export const options = {
  bundle: true,
  minify: true,
  target,
  legalComments: 'none',
  logLevel: 'error',
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
};

/** Throws an error if a bundle has code of a package whose license the package would not have. */
export function checkPackages({ inputs }) {
  const names = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const unknown = names.find((name) => !bundledInPages.includes(name));
  if (unknown) throw new Error(`A page has code of ${unknown}: list it in entries.mjs.`);
}
