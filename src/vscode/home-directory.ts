import type { VsCode, VsCodeContext } from './api.ts';
import { Prompts } from './pick.ts';

/** The home directory, in which an agent works only if the user has chosen it. */
export interface HomeDirectory {
  /** The directory. `undefined`: the user has not chosen it for this workspace. */
  readonly chosen: () => string | undefined;
  /** Asks the user for a folder or this directory. Resolves to whether the user chose this directory. */
  readonly ask: (openFolder: () => Promise<void>) => Promise<boolean>;
}

/**
 * @param state - Where the choice of the user is kept, for the workspace.
 * @param key - The key in `state`.
 */
export function homeDirectory(
  vscode: VsCode,
  state: VsCodeContext['workspaceState'],
  { directory, key }: { readonly directory: string; readonly key: string },
): HomeDirectory {
  const prompts = new Prompts(vscode);
  let isChosen = state.get(key) === directory;
  return {
    chosen: () => (isChosen ? directory : undefined),
    async ask(openFolder) {
      const open = { label: 'Open a folder…' };
      const work = { label: 'Work in the home directory', description: directory };
      const text = { title: 'No folder is open', placeholder: 'Where may the agent work?' };
      const choice = await prompts.inTurn(() => prompts.choose(text, [open, work], undefined));
      if (choice === open) await openFolder();
      if (choice !== work) return false;
      isChosen = true;
      await state.update(key, directory);
      return true;
    },
  };
}
