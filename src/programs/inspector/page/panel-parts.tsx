import { type ComponentChildren, render } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Panel } from '../../../ui/panel/connect.ts';
import { withEvents } from '../../../ui/panel-element/events.ts';
import styles from '../../../ui/panel-element/style/style.css';
import { SurfaceContext } from '../../../ui/panel-element/surface.ts';
import type { PanelProps } from '../../../ui/panel-element/use-part.ts';

interface PanelPartsProps extends PanelProps {
  readonly class: string;
  /** Called once: the parts draw themselves again. */
  readonly children: (panel: Panel) => ComponentChildren;
}

/** Parts of the panel's element, with its styles: they are in a shadow root, as in the element. */
export function PanelParts({ panel, class: name, children }: PanelPartsProps) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see `children`
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const root = element.attachShadow({ mode: 'open', delegatesFocus: true });
    const styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(styles);
    root.adoptedStyleSheets = [styleSheet];
    const surface = { element, isPage: false, placeholder: null, agentName: null, handles: '' };
    render(<SurfaceContext value={surface}>{children(withEvents(panel, element))}</SurfaceContext>, root);
    return () => render(null, root);
  }, [panel]);
  return <div class={name} ref={box} />;
}
