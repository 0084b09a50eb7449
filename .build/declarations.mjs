// Replaces the declarations of the schemas in `dist`. TypeScript writes the type of a schema out wherever another schema
// contains it, and each reader of the declarations has to compute the types from the building blocks of valibot.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { schemaDeclarations, shared, versions } from './schema-types.mjs';

const dist = resolve(import.meta.dirname, '../dist');
const entries = Object.keys(versions);
const moduleOf = (file) => `./${file.replace(/\.d\.ts$/, '')}.js`;

const texts = new Map();
for (const file of (await readdir(dist)).filter((name) => name.endsWith('.d.ts'))) {
  texts.set(file, await readFile(`${dist}/${file}`, 'utf8'));
}

/** The names inside a file, by the name under which it exports them. */
function localNames(file) {
  const list = /^export (?:type )?\{ (.*) \};$/m.exec(texts.get(file))?.[1] ?? '';
  return new Map(
    list.split(', ').map((item) => {
      const [local, name = local] = item.replace(/^type /, '').split(' as ');
      return [name, local];
    }),
  );
}

/** The generated file that takes the place of each file that has only schemas. */
const replacements = new Map(entries.map((entry) => [`${entry}.d.ts`, entry]));
for (const [file, text] of texts) {
  const users = entries.filter((entry) => texts.get(`${entry}.d.ts`).includes(`'${moduleOf(file)}'`));
  if (users.length === 0 || !text.includes('v.InferOutput<')) continue;
  replacements.set(file, users.length > 1 ? shared : users[0]);
}

const jsonFile = [...texts.keys()].find((file) => file.startsWith('json-'));
const jsonExports = new Map([...localNames(jsonFile)].map(([name, local]) => [local, name]));

function importLine([file, names]) {
  const items = [...names].sort();
  return file === 'json'
    ? `import { ${items.map((name) => `${jsonExports.get(name)} as ${name}`).join(', ')} } from '${moduleOf(jsonFile)}';`
    : `import { ${items.join(', ')} } from '${moduleOf(file)}';`;
}

const declarations = schemaDeclarations();
const sharedNames = declarations.find(({ file }) => file === shared).names.sort();
for (const { file, statements, imports, comment } of declarations) {
  const lines = [
    `${comment}import * as v from 'valibot';`,
    ...[...imports].map(importLine),
    file === shared
      ? 'export type Schema<T> = v.GenericSchema<unknown, T>;'
      : `export { ${sharedNames.join(', ')} } from '${moduleOf(shared)}';`,
    ...statements,
  ];
  await writeFile(`${dist}/${file}.d.ts`, `${lines.join('\n')}\n`);
}

/** An import of a file that is replaced, as an import of its replacement. */
function withReplacement(line, list, module) {
  const file = module.replace(/^\.\/(.*)\.js$/, '$1.d.ts');
  const replacement = replacements.get(file);
  if (replacement === undefined) return line;
  const names = localNames(file);
  const items = list.split(', ').map((item) => {
    const [exported, local = exported] = item.split(' as ');
    const name = names.get(exported);
    return name === local ? name : `${name} as ${local}`;
  });
  return `import { ${items.join(', ')} } from '${moduleOf(replacement)}';`;
}

for (const [file, text] of texts) {
  if (entries.includes(file.replace('.d.ts', ''))) continue;
  if (replacements.has(file)) {
    await rm(`${dist}/${file}`);
    continue;
  }
  const rewritten = text
    .replace(/^import \{ (.*) \} from '(.*)';$/gm, withReplacement)
    // A fifth of the declarations was indentation.
    .replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4));
  await writeFile(`${dist}/${file}`, rewritten);
}
