import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { Panel } from '../panel/connect.ts';
import type { PanelState } from '../panel/state.ts';

/** What each part of the panel has. */
export interface PanelProps {
  readonly panel: Panel;
}

/**
 * The part of the state that `select` returns. The component is drawn again when the part is another object or value,
 * and not for each change of the conversation. So `select` must not make a new object.
 */
export function usePart<T>(panel: Panel, select: (state: PanelState) => T): T {
  const part = select(panel.getSnapshot());
  const drawn = useRef({ part, select });
  drawn.current = { part, select };
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const drawIfChanged = () => {
      const { part: shown, select: read } = drawn.current;
      if (!Object.is(read(panel.getSnapshot()), shown)) draw(undefined as never);
    };
    // Since it was drawn.
    drawIfChanged();
    return panel.subscribe(drawIfChanged);
  }, [panel]);
  return part;
}
