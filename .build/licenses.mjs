// Writes the licenses of the packages that are bundled into `dist`, as their licenses require.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundled, bundledInPages } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');

/** The packages whose code is in `dist`. The lists for pages are complete; the others bring what they depend on. */
const pending = [...bundled, ...bundledInPages];
const isFollowed = new Set(bundled);
const texts = new Map();
for (const name of pending) {
  if (texts.has(name)) continue;
  const folder = `${root}/node_modules/${name}`;
  const {
    version,
    license,
    dependencies = {},
  } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no license file.`);
  texts.set(
    name,
    `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, 'utf8')).trim()}\n`,
  );
  if (!isFollowed.has(name)) continue;
  for (const dependency of Object.keys(dependencies)) {
    isFollowed.add(dependency);
    pending.push(dependency);
  }
}
const header = 'This package contains code of these packages.\n';
await writeFile(
  `${root}/dist/third-party-licenses.txt`,
  [header, ...texts.values()].join(`\n${'-'.repeat(72)}\n\n`),
);
