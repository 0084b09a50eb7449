import type { Panel } from '../panel/connect.ts';
import type { PanelState } from '../panel/state.ts';
import { useSyncExternalStore } from 'react';

/**
 * The part of the state that `select` returns. The component is drawn again when the part is another object or value,
 * and not for each change of the conversation. So `select` must not make a new object.
 */
export function usePart<T>(panel: Panel, select: (state: PanelState) => T): T {
  return useSyncExternalStore(panel.subscribe, () => select(panel.getSnapshot()));
}
