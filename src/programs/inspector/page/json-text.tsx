import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';

/** Longer JSON is cut off until the user asks for all of it, in characters. */
const maxShown = 60_000;

const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON in color. */
export function JsonText({ value, isRaw }: { readonly value: unknown; readonly isRaw: boolean }) {
  const [showsAll, setShowsAll] = useState(false);
  const complete = JSON.stringify(value, null, isRaw ? 0 : 2) ?? 'undefined';
  const isCut = complete.length > maxShown && !showsAll;
  const text = isCut ? complete.slice(0, maxShown) : complete;
  return (
    <>
      {/* biome-ignore lint/a11y: a region that scrolls needs the focus */}
      <pre class="json" tabIndex={0} role="region" aria-label="JSON">
        <code>{isRaw || text.length > 4 * maxShown ? text : colored(text)}</code>
      </pre>
      {isCut && <Button text={`Show all ${complete.length} characters`} onClick={() => setShowsAll(true)} />}
    </>
  );
}

function colored(text: string): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    end = match.index + whole.length;
    const name = string === undefined ? 'value' : colon === undefined ? 'string' : 'key';
    pieces.push(
      <span key={match.index} class={`j-${name}`}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) pieces.push(colon);
  }
  pieces.push(text.slice(end));
  return pieces;
}
