import type { PanelMemory } from '../panel/options.ts';
import type { VsCodeContext } from './api.ts';

const defaultKey = 'acp-client-sdk.session';

/**
 * The `memory` of `servePanel`: remembers the session that is shown, so that it is opened again after a reload of the
 * window and a crash of the extension host, and the agent that the user has chosen.
 *
 * @param state - `context.workspaceState`: one session and one agent for each workspace.
 * @param key - Where it is kept. Give each panel of an extension its own. Default: `acp-client-sdk.session`.
 * @param everywhere - `context.globalState`: a workspace without a chosen agent gets the one that was chosen last.
 *   Default: the user chooses in each workspace.
 *
 * @example
 * ```ts
 * const memory = sessionMemory(context.workspaceState);
 * ```
 */
export function sessionMemory(
  state: VsCodeContext['workspaceState'],
  key: string = defaultKey,
  everywhere?: VsCodeContext['workspaceState'],
): PanelMemory {
  const agentKey = `${key}.agent`;
  return {
    // Another version of the extension may have written it: the panel checks what it gets.
    get: () => state.get(key),
    set: (session) => state.update(key, session),
    getAgent: () => state.get(agentKey) ?? everywhere?.get(agentKey),
    async setAgent(id) {
      await state.update(agentKey, id);
      await everywhere?.update(agentKey, id);
    },
  };
}
