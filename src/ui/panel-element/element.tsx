import { render } from 'preact';
import type { Panel } from '../panel/connect.ts';
import { App } from './app.tsx';
import { withEvents } from './events.ts';
import styles from './style/style.css';
import { SurfaceContext } from './surface.ts';
import { connectWebview } from './webview.ts';

/** A server that draws pages imports the module, too, and has no elements. */
const ElementBase = globalThis.HTMLElement ?? (class {} as typeof HTMLElement); // It is never made there.

/** One for all elements. A strict Content Security Policy allows it, and no element `style`. */
const styleSheet = globalThis.CSSStyleSheet && new CSSStyleSheet();
styleSheet?.replaceSync(styles);

/** `<acp-panel>`: draws a panel while it has one and is in a page. */
class AcpPanel extends ElementBase {
  static readonly observedAttributes = ['placeholder', 'agent-name', 'handles'];
  readonly #internals = this.attachInternals();
  readonly #page = document.createElement('div');
  #panel: Panel | null = null;
  /** The panel with the events of the element. */
  #shown: Panel | null = null;
  #isPage = false;

  constructor() {
    super();
    this.#page.className = 'page';
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.append(this.#page);
    root.adoptedStyleSheets = [styleSheet];
    // Set before the element was defined: it hides the accessor.
    const early = Object.getOwnPropertyDescriptor(this, 'panel');
    if (!early) return;
    Reflect.deleteProperty(this, 'panel');
    this.panel = early.value;
  }

  get panel(): Panel | null {
    return this.#panel;
  }

  set panel(panel: Panel | null) {
    this.#show(panel, false);
  }

  connectedCallback(): void {
    if (document.body.dataset['vscodeThemeKind'] !== undefined) this.#internals.states.add('vscode');
    // The script that imports this can set a panel before.
    queueMicrotask(() => {
      if (!this.#panel && this.isConnected) this.#show(connectWebview(), true);
    });
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#draw();
  }

  attributeChangedCallback(): void {
    this.#draw();
  }

  #show(panel: Panel | null, isPage: boolean): void {
    if (panel === this.#panel) return;
    // Another panel is drawn from the beginning.
    render(null, this.#page);
    this.#panel = panel;
    this.#shown = panel && withEvents(panel, this);
    this.#isPage = isPage;
    this.#draw();
  }

  #draw(): void {
    const surface = {
      element: this,
      isPage: this.#isPage,
      placeholder: this.getAttribute('placeholder'),
      agentName: this.getAttribute('agent-name'),
      handles: this.getAttribute('handles') ?? '',
    };
    const parts = this.#shown && this.isConnected && (
      <SurfaceContext value={surface}>
        <App panel={this.#shown} />
      </SurfaceContext>
    );
    render(parts, this.#page);
  }
}

// Once, also if two bundles of a page have this module.
if (globalThis.customElements && !customElements.get('acp-panel')) {
  customElements.define('acp-panel', AcpPanel);
}
