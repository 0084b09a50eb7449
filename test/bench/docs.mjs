import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { blocks } from './report.mjs';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** Puts each block between its markers on the page, and leaves the words around them, and what was not measured. */
export async function writeDocs(results) {
  let text = await readFile(page, 'utf8');
  for (const [name, block] of Object.entries(blocks(results))) {
    const between = new RegExp(`(<!-- bench:${name} -->\n)[^]*?(<!-- /bench:${name} -->)`);
    if (!between.test(text)) throw new Error(`docs/performance.md has no place for ${name}.`);
    text = text.replace(between, (_, begin, end) => `${begin}\n${block}\n\n${end}`);
  }
  await writeFile(page, text);
}
