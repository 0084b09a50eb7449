import type { PanelState } from '../panel/state.ts';

/** Whether there is an agent: the only one, or the one that the user has chosen. */
export function hasAgent({ agents }: PanelState): boolean {
  return agents.length === 0 || agents.some(({ isChosen }) => isChosen);
}
