// Shortens the declarations in `dist`. TypeScript writes the type of a schema out wherever another schema contains it.
// Where that text is the type of a named constant, `typeof` and its name mean the same. Indents with one space: a fifth of the
// declarations was indentation.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import ts from 'typescript';

const dist = resolve(import.meta.dirname, '../dist');
const printed = (node, file) => node.getText(file).replace(/\s+/g, ' ');

for (const name of (await readdir(dist)).filter((file) => file.endsWith('.d.ts'))) {
  const path = `${dist}/${name}`;
  const text = await readFile(path, 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);

  const names = new Map();
  for (const statement of file.statements.filter(ts.isVariableStatement)) {
    for (const { name: constant, type } of statement.declarationList.declarations) {
      if (!type || !ts.isTypeReferenceNode(type)) continue;
      const key = printed(type, file);
      if (key.length > `typeof ${constant.text}`.length && !names.has(key))
        names.set(key, { constant, type });
    }
  }

  let short = '';
  let end = 0;
  const visit = (node) => {
    const found = ts.isTypeReferenceNode(node) && names.get(printed(node, file));
    if (!found || found.type === node) return ts.forEachChild(node, visit);
    short += `${text.slice(end, node.getStart(file))}typeof ${found.constant.text}`;
    end = node.getEnd();
  };
  visit(file);
  const indented = (short + text.slice(end)).replace(/^(?: {4})+/gm, (spaces) =>
    ' '.repeat(spaces.length / 4),
  );
  await writeFile(path, indented);
}
