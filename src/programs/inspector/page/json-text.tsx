import { useMemo, useState } from 'preact/hooks';
import { Button } from './controls.tsx';

/** This many characters are shown until the user asks for more: each text in color is an element. */
const maxShown = 20_000;

/** A text of JSON, and the colon of a key. */
const texts = /("(?:[^"\\]|\\.)*"(?:: )?)/;

/** JSON in color. */
export function JsonText({ value }: { readonly value: unknown }) {
  const [showsAll, setShowsAll] = useState(false);
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'undefined', [value]);
  const shown = showsAll ? text : text.slice(0, maxShown);
  return (
    // biome-ignore lint/a11y: a region that scrolls needs the focus
    <div class="text" tabIndex={0} role="region" aria-label="JSON">
      {shown.split(texts).map((part, place) => {
        if (place % 2 === 0) return part;
        return (
          // biome-ignore lint/correctness/useJsxKeyInIterable: the parts have no names and do not move
          <span class={part.endsWith(': ') ? 'key' : 'string'}>{part}</span>
        );
      })}
      {shown.length < text.length && (
        <>
          …{' '}
          <Button
            class="link"
            text={`Show all ${text.length} characters`}
            onClick={() => setShowsAll(true)}
          />
        </>
      )}
    </div>
  );
}
