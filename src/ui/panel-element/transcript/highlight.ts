import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { PanelHit } from '../../panel/state.ts';
import { useSurface } from '../surface.ts';

/** What the user has found in the session that was opened for it. */
export interface FoundWords {
  readonly sessionId: string;
  /** The entry that the user has chosen. */
  readonly entryKey: string;
  /** All places in this session, one for each entry. */
  readonly hits: readonly PanelHit[];
}

/** The words that the panel shows in the transcript. `null`: none. */
export const Found = createContext({
  found: null as FoundWords | null,
  setFound: (_: FoundWords | null): void => {},
});

/** The name of the highlight in `transcript.css`. */
const highlightName = 'found';

/**
 * Highlights the words that the user has found in the transcript of a session, and scrolls to the place that was chosen.
 * The browser draws them over the text, so the elements of the page stay as they are.
 *
 * @param isLoading - Whether the agent still loads the session: what it replays is drawn again.
 */
export function useHighlight(sessionId: string | null, isLoading: boolean): void {
  const { found } = useContext(Found);
  const { element: host } = useSurface();
  useEffect(() => {
    if (!found || isLoading || found.sessionId !== sessionId) return;
    const elementOf = (entryKey: string) =>
      host.shadowRoot?.querySelector(`[data-entry="${CSS.escape(entryKey)}"]`);
    const places = found.hits.flatMap(({ entryKey, text, match }) => {
      const element = elementOf(entryKey);
      return element ? [{ element, words: text.slice(match.start, match.end) }] : [];
    });
    let drawn: readonly Range[] = [];
    const draw = () => {
      for (const range of drawn) highlight().delete(range);
      drawn = places.flatMap(({ element, words }) => rangesOf(element, words));
      for (const range of drawn) highlight().add(range);
    };
    let frame = requestAnimationFrame(() => {
      const chosen = elementOf(found.entryKey);
      for (let at = chosen ?? null; at; at = at.parentElement)
        if (at instanceof HTMLDetailsElement) at.open = true;
      // The transcript keeps its end in view until something scrolls up.
      frame = requestAnimationFrame(() => chosen?.scrollIntoView({ block: 'center' }));
      draw();
    });
    // Long text is drawn when it comes near the view.
    const observer = new MutationObserver(draw);
    for (const { element } of places)
      observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      for (const range of drawn) highlight().delete(range);
    };
  }, [found, host, sessionId, isLoading]);
}

/** The one of the document, which has the words of all its panels. */
function highlight(): Highlight {
  const present = CSS.highlights.get(highlightName) ?? new Highlight();
  CSS.highlights.set(highlightName, present);
  return present;
}

/** Where the words are in the text of an element, in any case. The Markdown between them is not in the page. */
function rangesOf(element: Element, words: string): readonly Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, start: text.length });
    text += walker.currentNode.nodeValue ?? '';
  }
  const parts = words.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const pattern = new RegExp(parts.join('[^\\p{L}\\p{N}\\p{M}]*'), 'giu');
  let at = 0;
  // The place of a character in the text. The matches come in order, so each node is passed once.
  const placeOf = (index: number): readonly [node: Node, offset: number] => {
    while (at + 1 < nodes.length && (nodes[at + 1]?.start ?? 0) < index) at++;
    return [nodes[at]?.node ?? element, index - (nodes[at]?.start ?? 0)];
  };
  return Array.from(text.matchAll(pattern), ({ index, 0: match }) => {
    const range = document.createRange();
    range.setStart(...placeOf(index));
    range.setEnd(...placeOf(index + match.length));
    return range;
  });
}
