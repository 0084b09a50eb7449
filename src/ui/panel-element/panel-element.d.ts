/**
 * The element `<acp-panel>`, which draws a panel. Importing the module defines it.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

import type { Panel } from 'acp-client-sdk/panel';

/**
 * Draws a panel: the transcript, questions, the input, sessions and settings. Importing the module defines it. It fills
 * what it is in: give it, or what it is in, a height.
 *
 * In a page that VS Code shows, it connects by itself. Elsewhere, set {@link AcpPanelElement.panel}.
 *
 * A page styles it with the properties `--acp-*`, such as `--acp-background`, and with the parts `header`, `transcript`,
 * `entry`, `tool`, `question` and `composer`: `acp-panel::part(tool) { border-radius: 0 }`.
 *
 * @example
 * ```ts
 * import 'acp-client-sdk/panel-element';
 * import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
 *
 * const element = document.createElement('acp-panel');
 * element.panel = connectPanel(() => webSocketChannel(new WebSocket('ws://127.0.0.1:8137')));
 * document.body.append(element);
 * ```
 */
export interface AcpPanelElement extends HTMLElement {
  /**
   * The panel that is shown. `null`: none. A new value replaces it. The element closes no panel: your code does. Default: in
   * VS Code the panel of the extension, and elsewhere `null`.
   */
  panel: Panel | null;
  addEventListener<Name extends keyof AcpPanelEventMap>(
    type: Name,
    listener: (this: AcpPanelElement, event: AcpPanelEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/**
 * What an editor may do itself before the host does. `preventDefault()` says that it is done: then the host is not asked.
 * The events bubble. Where the host cannot do it, the attribute {@link AcpPanelAttributes.handles} says that the page does:
 * without it, the panel has no button for it.
 */
export interface AcpPanelEventMap extends HTMLElementEventMap {
  /** The user opens a file. The path is as the agent wrote it. `line` counts from 1. */
  'acp-open-file': CustomEvent<{ readonly path: string; readonly line: number | null }>;
  /** The user opens a diff. `oldText` is `null` for a new file, and both are if the agent sent a patch only. */
  'acp-open-diff': CustomEvent<{
    readonly path: string;
    readonly oldText: string | null;
    readonly newText: string | null;
  }>;
  /** The user inserts a block of code at the cursor. */
  'acp-insert-text': CustomEvent<{ readonly text: string }>;
}

/** The attributes of `<acp-panel>`, and its property for frameworks that set properties. */
export interface AcpPanelAttributes {
  panel?: Panel | null | undefined;
  /** Shown in the empty input. Default: "Ask" and the agent's name. */
  placeholder?: string | undefined;
  /** Default: the name that the agent reports. */
  'agent-name'?: string | undefined;
  /** The events that the page handles, such as `acp-open-file acp-open-diff`. Default: what the host can do. */
  handles?: string | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'acp-panel': AcpPanelElement;
  }
}

// What frameworks permit on an element. The page has one of them or none: then the type is not used.
// @ts-ignore
type ReactHtml = import('react').HTMLAttributes<AcpPanelElement>;
// @ts-ignore
type ReactReference = import('react').ClassAttributes<AcpPanelElement>;
// @ts-ignore
type SolidHtml = import('solid-js').JSX.HTMLAttributes<AcpPanelElement>;

// @ts-ignore
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'acp-panel': ReactReference & ReactHtml & AcpPanelAttributes;
    }
  }
}

// @ts-ignore
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'acp-panel': SolidHtml & AcpPanelAttributes;
    }
  }
}

// @ts-ignore
declare module 'vue' {
  interface GlobalComponents {
    'acp-panel': new () => { $props: AcpPanelAttributes };
  }
}
