import { plainText } from '../../core/render/clean.ts';
import type { PanelState } from '../panel/state.ts';
import { useSurface } from './surface.ts';
import { type PanelProps, usePart } from './use-part.ts';

/** The name of the agent that is shown. `null`: not known, or none is chosen. */
export function useAgentName({ panel }: PanelProps): string | null {
  const { agentName } = useSurface();
  const reported = usePart(panel, nameOf);
  return agentName ?? (reported === null ? null : plainText(reported));
}

function nameOf({ agent, agents }: PanelState): string | null {
  return agent?.title ?? agent?.name ?? agents.find(({ isChosen }) => isChosen)?.name ?? null;
}

/** Whether there is an agent: the only one, or the one that the user has chosen. */
export function hasAgent({ agents }: PanelState): boolean {
  return agents.length === 0 || agents.some(({ isChosen }) => isChosen);
}

/** Whether the agent works on a prompt in the session that is shown, or waits in it. */
export function hasTurn({ conversation }: PanelState): boolean {
  return (conversation?.activity.state ?? 'idle') !== 'idle';
}
