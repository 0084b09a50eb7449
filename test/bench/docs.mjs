import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { blocks } from './report.mjs';

const pages = ['README.md', 'docs/performance.md'];
const pathOf = (page) => fileURLToPath(new URL(`../../${page}`, import.meta.url));

/** Puts each block between its markers, on the page that has them. Text around them and missing results stay. */
export async function writeDocs(results) {
  const texts = new Map();
  for (const page of pages) texts.set(page, await readFile(pathOf(page), 'utf8'));
  for (const [name, block] of Object.entries(blocks(results))) {
    const between = new RegExp(`(<!-- bench:${name} -->\n)[^]*?(<!-- /bench:${name} -->)`);
    const page = pages.find((candidate) => between.test(texts.get(candidate)));
    if (!page) throw new Error(`${pages.join(' and ')} have no place for ${name}.`);
    texts.set(
      page,
      texts.get(page).replace(between, (_, begin, end) => `${begin}\n${block}\n\n${end}`),
    );
  }
  for (const [page, text] of texts) await writeFile(pathOf(page), text);
}
