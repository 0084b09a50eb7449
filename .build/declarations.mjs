// Writes the declarations of the package: one file for each entry, and files for what entries share. The types of the
// schemas are computed. TypeScript writes the type of a schema out wherever another schema contains it, and each reader of the
// declarations has to compute the types from the building blocks of valibot.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { entries } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const emitted = await mkdtemp(join(tmpdir(), 'declarations-'));
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
const emission = promisify(execFile)(process.execPath, [
  compiler,
  ...['--project', import.meta.dirname, '--outDir', emitted],
]);
emission.catch(() => undefined);

// Computes the types while the compiler runs.
const { schemaDeclarations, shared, versions } = await import('./schema-types.mjs');
const schemaFiles = schemaDeclarations();
/** The name of the file in `dist` with the schemas of a source file, by the path of the source file. */
const fileOfSource = new Map(schemaFiles.flatMap(({ file, sources }) => sources.map((path) => [path, file])));

/** Lets the entries import the types of schemas from the files that are written here. */
const importSchemas = {
  name: 'import-schemas',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return undefined;
    const source = join('src', relative(emitted, resolve(importer, '..', specifier)));
    const file = fileOfSource.get(source);
    return file === undefined ? undefined : { id: `./${file}.js`, external: true };
  },
};

function importLine([file, names]) {
  return `import { ${[...names].sort().join(', ')} } from './${file}.js';`;
}

function schemaFile({ file, statements, imports, comment }) {
  const { exported } = schemaFiles.find((other) => other.file === shared);
  return [
    `${comment}import * as v from 'valibot';`,
    ...[...imports].map(importLine),
    file === shared
      ? 'export type Schema<T> = v.GenericSchema<unknown, T>;'
      : `export { ${[...exported].sort().join(', ')} } from './${shared}.js';`,
    ...statements,
    '',
  ].join('\n');
}

/** Throws an error if a file imports a type that the file of the schemas does not have. */
function checkImports({ fileName, code }) {
  for (const { file, names } of schemaFiles) {
    const list = new RegExp(`^import \\{ (.*) \\} from './${file}\\.js';$`, 'm').exec(code)?.[1] ?? '';
    const missing = list
      .split(', ')
      .map((item) => item.replace(/^type | as .*$/g, ''))
      .filter((name) => name !== '' && ![...names, 'Schema'].includes(name));
    if (missing.length > 0)
      throw new Error(`${fileName} imports ${missing} from ${file}, which has no such type.`);
  }
}

/** Writes a file with declarations, and the same for CommonJS, which imports the files for CommonJS. */
async function write(name, code) {
  await writeFile(join(dist, name), code);
  await writeFile(
    join(dist, name.replace(/ts$/, 'cts')),
    code.replace(/(?<=\b(?:from|import) )(["']\.\/[^"']+)\.js(?=["'])/g, '$1.cjs'),
  );
}

try {
  await emission;
  const input = Object.entries({ ...entries, json: 'src/core/base/json.ts' })
    .filter(([name]) => !(name in versions))
    .map(([name, path]) => [name, join(emitted, path.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'))]);
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [importSchemas, dts()],
    // Parts of a signature have no public name: the reference describes them.
    onLog: (level, log, handle) => log.message.includes('private shared type exports') || handle(level, log),
  });
  const { output } = await bundle.generate({
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}-[hash].d.ts`,
    minifyInternalExports: false,
  });
  for (const chunk of output) {
    checkImports(chunk);
    // A fifth of the declarations was indentation.
    const code = chunk.code.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4));
    await write(chunk.fileName, code);
  }
  for (const schemas of schemaFiles) await write(`${schemas.file}.d.ts`, schemaFile(schemas));
} catch (error) {
  // The compiler reports what is wrong on stdout.
  if (error.stdout) process.stderr.write(error.stdout);
  throw error;
} finally {
  await rm(emitted, { recursive: true });
}
