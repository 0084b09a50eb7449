import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What the parts of the panel know of the element that shows them. */
export interface Surface {
  readonly element: HTMLElement;
  /** Whether the page has nothing but the panel, so that its keys are the panel's. */
  readonly isPage: boolean;
  /** The attributes. `null`: absent. */
  readonly placeholder: string | null;
  readonly agentName: string | null;
  /** The events of the element that the page handles. */
  readonly handles: string;
}

/** Set by the element. */
export const SurfaceContext = createContext<Surface | null>(null);

export function useSurface(): Surface {
  return useContext(SurfaceContext) as Surface; // Each part of the panel is drawn in an element.
}

/** Moves the focus to the input of the panel that an element is in. */
export function focusPrompt(within: Element | null): void {
  const root = within?.getRootNode();
  if (root instanceof ShadowRoot) root.querySelector('textarea')?.focus();
}
