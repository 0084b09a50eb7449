import { useState } from 'preact/hooks';
import type { PageState } from './page-state.ts';
import { termsIn } from './query.ts';

/** The search in the messages. The browser suggests what can be put at its end. */
export function SearchBox({ state }: { readonly state: PageState }) {
  const { search } = state.choices;
  const [terms, setTerms] = useState<readonly string[]>([]);
  const [before = ''] = /^(.*\s)?-?/.exec(search) ?? [];
  return (
    <>
      <input
        id="search"
        type="text"
        class="grow"
        list="terms"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search, or from: is: method: update: session:"
        aria-label="Search in the messages"
        value={search}
        onFocus={() => setTerms(termsIn(state.timeline.rows))}
        onInput={({ currentTarget }) => state.choose({ search: currentTarget.value })}
      />
      <datalist id="terms">
        {terms.map((term) => (
          <option key={term} value={`${before}${term} `} />
        ))}
      </datalist>
    </>
  );
}
