import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The floor of a search without the index: each file is read, and looked through once for other words. */
export async function measure({ directory }) {
  const start = performance.now();
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.jsonl')) continue;
    const bytes = await readFile(join(directory, name));
    if (bytes.indexOf('velvet violin') >= 0) throw new Error(`${name} has the words.`);
  }
  return { searchMs: performance.now() - start };
}
