import type { VsCode, VsCodeContext } from './api.ts';

const open = 'Open a folder…';
const work = 'Work in the home directory';

/**
 * The home directory, in which an agent works only if the user has chosen it.
 *
 * @param state - Where the choice of the user is kept, for the workspace.
 * @param key - The key in `state`.
 */
export function homeDirectory(
  { window }: VsCode,
  state: VsCodeContext['workspaceState'],
  { directory, key }: { readonly directory: string; readonly key: string },
) {
  let isChosen = state.get(key) === directory;
  return {
    /** The directory. `undefined`: the user has not chosen it for this workspace. */
    chosen: () => (isChosen ? directory : undefined),
    /** Asks the user for a folder or this directory. Resolves to whether the user chose this directory. */
    async ask(openFolder: () => Promise<void>): Promise<boolean> {
      const title = 'No folder is open';
      const placeHolder = `Where may the agent work? The home directory is ${directory}.`;
      const choice = await window.showQuickPick([open, work], { title, placeHolder, ignoreFocusOut: true });
      if (choice === open) await openFolder();
      if (choice !== work) return false;
      isChosen = true;
      await state.update(key, directory);
      return true;
    },
  };
}
