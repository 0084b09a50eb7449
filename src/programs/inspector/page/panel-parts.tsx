import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Panel } from '../../../ui/panel/connect.ts';
import { withEvents } from '../../../ui/panel-element/events.ts';
import { SurfaceContext } from '../../../ui/panel-element/surface.ts';
import type { PanelProps } from '../../../ui/panel-element/use-part.ts';

interface PanelPartsProps extends PanelProps {
  readonly class: string;
  readonly children: (panel: Panel) => ComponentChildren;
}

/** Parts of the panel's element, in the style of this page. */
export function PanelParts({ panel, class: name, children }: PanelPartsProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const surface = useMemo(
    () => element && { element, isPage: false, placeholder: null, agentName: null, handles: '' },
    [element],
  );
  const shown = useMemo(() => (element ? withEvents(panel, element) : panel), [panel, element]);
  return (
    <div class={name} ref={setElement}>
      {surface && <SurfaceContext value={surface}>{children(shown)}</SurfaceContext>}
    </div>
  );
}
