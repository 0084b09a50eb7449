import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './pages.ts';

const entries: Readonly<Record<string, string>> = {
  'acp-client-sdk': 'src/entries/index.ts',
  'acp-client-sdk/node': 'src/entries/node.ts',
  'acp-client-sdk/conversation': 'src/entries/conversation.ts',
  'acp-client-sdk/testing': 'src/entries/testing.ts',
};

/**
 * Runs the TypeScript blocks of a page that `wanted` matches, each as a module with these lines before it. Resolves to
 * what they export, and to a function that removes their files.
 */
export async function loadBlocks<T extends object>(page: string, wanted: RegExp, before = '') {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  // In the repository, so that the sources are found.
  const folder = await mkdtemp(join(import.meta.dirname, '.recipes-'));
  const modules = blocks
    .filter((code) => wanted.test(code))
    .map(async (code, index): Promise<T> => {
      const file = join(folder, `block-${index}.ts`);
      const source = code.replaceAll(/(?<= from ')[^']+(?=')/g, (name) =>
        entries[name] === undefined ? name : join(root, entries[name]),
      );
      await writeFile(file, before + source);
      return import(file);
    });
  return { modules: await Promise.all(modules), remove: () => rm(folder, { recursive: true }) };
}

/** Runs the recipes. The blocks that export nothing show how a recipe is used. */
export async function loadRecipes<T extends object>() {
  const { modules, remove } = await loadBlocks<Partial<T>>('docs/recipes.md', /^export /m);
  // Together, the blocks export all of it: a test that uses what is missing fails.
  return { recipes: Object.assign({}, ...modules) as T, remove };
}
