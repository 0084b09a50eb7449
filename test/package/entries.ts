import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

if (!existsSync(`${root}/dist/index.js`)) throw new Error('dist/ is missing: run "npm run build" first.');

/** What users import, by the name they import it by, with the name of its file in dist. */
export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<{ readonly import?: { readonly default: string } }>(manifest.exports).flatMap(
    ([path, { import: conditions }]) => {
      const file = /^\.\/dist\/(.+)\.js$/.exec(conditions?.default ?? '')?.[1];
      return file === undefined ? [] : [[`${manifest.name}${path.slice(1)}`, file]];
    },
  ),
);
