import { useRef, useState } from 'preact/hooks';
import type { PageState } from './page-state.ts';
import { WireWords } from './suggestions.ts';

/** The search in the messages. It suggests what can be put at its end. */
export function SearchBox({ state }: { readonly state: PageState }) {
  const { timeline, choices } = state;
  const words = useRef(new WireWords());
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = isOpen ? words.current.suggest(timeline.rows, choices.search) : [];
  const isShown = suggestions.length > 0;
  const set = (search: string) => {
    setActive(-1);
    state.choose({ search });
  };
  const take = (place: number) => {
    const suggestion = suggestions[place];
    if (!suggestion) return;
    set(suggestion.text);
    // A value is complete, and after a name comes its value.
    setIsOpen(suggestion.text.endsWith(':'));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = suggestions;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => (isShown ? setActive((active + 1) % length) : setIsOpen(true)),
      ArrowUp: () => isShown && setActive((active <= 0 ? length : active) - 1),
      Enter: () => (active >= 0 ? take(active) : setIsOpen(false)),
      Escape: () => setIsOpen(false),
    };
    const move = moves[event.key];
    // Without suggestions, Escape leaves the search.
    if (!move || (event.key === 'Escape' && !isShown)) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <div class="search-box">
      <input
        id="search"
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search, or from: is: method: update: session:"
        aria-label="Search in the messages"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls="suggestions"
        aria-activedescendant={active >= 0 && isShown ? `suggestion-${active}` : undefined}
        value={choices.search}
        onInput={({ currentTarget }) => {
          setIsOpen(true);
          set(currentTarget.value);
        }}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      {/* The input has the focus, and its keys choose. */}
      <div id="suggestions" role="listbox" aria-label="Suggestions" hidden={!isShown}>
        {suggestions.map(({ shown, says }, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={shown}
            id={`suggestion-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            // The input keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(place)}
          >
            <code>{shown}</code> <small>{says}</small>
          </div>
        ))}
      </div>
    </div>
  );
}
