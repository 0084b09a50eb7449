import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './pages.ts';

const entries: Readonly<Record<string, string>> = {
  'acp-client-sdk': 'src/entries/index.ts',
  'acp-client-sdk/node': 'src/entries/node.ts',
  'acp-client-sdk/conversation': 'src/entries/conversation.ts',
};

/** The code blocks of the page with the recipes that export something. The others show how a recipe is used. */
async function recipeBlocks(): Promise<readonly string[]> {
  const page = await readFile(join(root, 'docs/recipes.md'), 'utf8');
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    .map(([, code = '']) => code)
    .filter((code) => /^export /m.test(code));
}

/** Runs the recipes. Resolves to what they export, and to a function that removes their files. */
export async function loadRecipes<T extends object>(): Promise<{
  readonly recipes: T;
  readonly remove: () => Promise<void>;
}> {
  // In the repository, so that the sources are found.
  const folder = await mkdtemp(join(import.meta.dirname, '.recipes-'));
  const blocks = (await recipeBlocks()).map(async (code, index) => {
    const file = join(folder, `recipe-${index}.ts`);
    const source = code.replaceAll(/(?<= from ')[^']+(?=')/g, (name) =>
      entries[name] === undefined ? name : join(root, entries[name]),
    );
    await writeFile(file, source);
    return import(file);
  });
  const recipes = Object.assign({}, ...(await Promise.all(blocks)));
  return { recipes, remove: () => rm(folder, { recursive: true }) };
}
