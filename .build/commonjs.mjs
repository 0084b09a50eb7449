// Makes the CommonJS modules and their declarations of the ES modules in `dist`, one file of each. A class is the same
// code in both, with the same name, and is in one file for all entries.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { transform } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const { exports } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));

/** The local files that a module imports. */
const imported = /(?<=\bfrom |\bimport )(["'])\.\/([^"']+)\.js\1/g;

/** The files that are reached from the entries of the package. Programs are ES modules only. */
async function reached(files) {
  const sources = new Map();
  const add = async (file) => {
    if (sources.has(file)) return;
    const source = await readFile(file, 'utf8');
    sources.set(file, source);
    const suffix = /(?:\.d)?\.(?:js|ts)$/.exec(file)?.[0];
    for (const [, , name] of source.matchAll(imported)) await add(`${dirname(file)}/${name}${suffix}`);
  };
  for (const file of files) await add(resolve(root, file));
  return sources;
}

const conditions = Object.values(exports).flatMap((entry) => entry.import ?? []);
const toCommonJs = (source) => source.replace(imported, '"./$2.cjs"');

for (const [file, source] of await reached(conditions.map((entry) => entry.default))) {
  const { code } = await transform(toCommonJs(source), {
    format: 'cjs',
    target: 'node20',
    platform: 'node',
    // A syntax error in CommonJS, also where it is not reached.
    define: { 'import.meta.url': 'undefined' },
    charset: 'utf8',
    // Saves 130 kB of the package. The names stay, and the lines stay short enough for stack traces.
    minifyWhitespace: true,
    lineLimit: 120,
  });
  await writeFile(file.replace(/\.js$/, '.cjs'), code);
}

for (const [file, source] of await reached(conditions.map((entry) => entry.types))) {
  await writeFile(file.replace(/\.d\.ts$/, '.d.cts'), toCommonJs(source));
}
