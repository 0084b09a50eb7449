import { plainText } from '../../core/render/clean.ts';
import type { PanelState } from '../panel/state.ts';
import type { PanelProps } from './panel-props.ts';
import { useSurface } from './surface.ts';
import { usePart } from './use-part.ts';

/** The name of the agent that is shown. `null`: not known, or none is chosen. */
export function useAgentName({ panel }: PanelProps): string | null {
  const { agentName } = useSurface();
  const reported = usePart(panel, nameOf);
  return agentName ?? (reported === null ? null : plainText(reported));
}

function nameOf({ agent, agents }: PanelState): string | null {
  return agent?.title ?? agent?.name ?? agents.find(({ isChosen }) => isChosen)?.name ?? null;
}
