/** Code is colored when it has not grown for so long, in milliseconds. */
const quietMs = 300;

/** How long code is colored in one task, in milliseconds: the user's input comes first. */
const sliceMs = 8;

/** Loaded with the first code. */
let loading: ReturnType<typeof loadColors> | undefined;

async function loadColors() {
  const { registerLanguages, coloredCode } = await import('./code-languages.ts');
  await registerLanguages();
  return coloredCode;
}

/**
 * Colors the code that is in view, as soon as it stops growing. Each piece of code is colored by itself, and code out of
 * view stays one text, so that a long transcript has few elements.
 */
export class CodeColors {
  readonly #root: HTMLElement;
  /** When each code was drawn that may need colors. The first one was drawn first. */
  readonly #drawnAt = new Map<Element, number>();
  /** The text of what has its colors. */
  readonly #colored = new WeakMap<Element, string>();
  readonly #over = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    // The browser says of each group of blocks, and of each piece of code, that it comes into view.
    root.addEventListener('contentvisibilityautostatechange', (event) => this.#see(event), {
      signal: this.#over.signal,
    });
  }

  /** Code was drawn in an element, or is the element. */
  drawn(element: Element): void {
    for (const code of element.matches('code') ? [element] : element.querySelectorAll('.code code')) {
      this.#drawnAt.delete(code);
      this.#drawnAt.set(code, performance.now());
    }
    this.#colorLater();
  }

  stop(): void {
    this.#over.abort();
    clearTimeout(this.#timer);
  }

  #see(event: Event): void {
    const isShown = event instanceof ContentVisibilityAutoStateChangeEvent && !event.skipped;
    if (isShown && event.target instanceof Element) this.drawn(event.target);
  }

  #colorLater(): void {
    if (this.#drawnAt.size > 0) this.#timer ??= setTimeout(() => void this.#color(), quietMs);
  }

  async #color(): Promise<void> {
    loading ??= loadColors();
    const coloredCode = await loading;
    this.#timer = undefined;
    if (this.#over.signal.aborted) return;
    const start = performance.now();
    for (const [code, drawnAt] of this.#drawnAt) {
      if (start - drawnAt < quietMs || performance.now() - start > sliceMs) break;
      this.#drawnAt.delete(code);
      // Code out of view says so when it comes into view. What was removed says nothing.
      if (!this.#root.contains(code) || !code.checkVisibility({ contentVisibilityAuto: true })) continue;
      const text = code.textContent;
      if (this.#colored.get(code) === text) continue;
      if (isSelected(code)) {
        this.#drawnAt.set(code, start);
        continue;
      }
      this.#colored.set(code, text);
      // The head of the block names it.
      const language = code.closest('.code')?.querySelector(':scope > div > span')?.textContent ?? '';
      const html = coloredCode(text, language);
      if (html !== undefined) code.innerHTML = html;
    }
    this.#colorLater();
  }
}

/** New elements would end the selection. Browsers disagree on what a selection in a shadow root contains. */
function isSelected(code: Element): boolean {
  const selection = document.getSelection();
  const root = code.getRootNode();
  if (!selection || !(root instanceof ShadowRoot)) return false;
  // Absent in older browsers.
  if (!('getComposedRanges' in selection)) return true;
  return selection.getComposedRanges({ shadowRoots: [root] }).some((selected) => {
    if (selected.collapsed) return false;
    const range = document.createRange();
    range.setStart(selected.startContainer, selected.startOffset);
    range.setEnd(selected.endContainer, selected.endOffset);
    return range.intersectsNode(code);
  });
}
