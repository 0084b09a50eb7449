import { updateIn } from './chunks.ts';
import { fromChoices, isChoices, type QueryWord, written } from './query.ts';
import type { Row } from './rows.ts';

/** What can be put at the end of a search. */
export interface Suggestion {
  /** The whole search with it. */
  readonly text: string;
  /** What is added. */
  readonly shown: string;
  /** What a word before a colon is about. Empty for a value. */
  readonly says: string;
}

/** The words before a colon, in the order in which they are suggested. */
const words: Readonly<Record<Exclude<QueryWord, 'rows'>, string>> = {
  from: 'who sent the message',
  is: 'what kind of line it is',
  method: 'the method of the message, or of its request',
  update: 'the kind of a session update',
  session: 'the session that it names',
};

const maxSuggested = 12;

/** The values in a timeline. Rows that are added are looked at alone. */
export class WireWords {
  #rows: readonly Row[] | undefined;
  #seen = 0;
  readonly #values = {
    from: new Set(Object.keys(fromChoices)),
    is: new Set(Object.keys(isChoices)),
    method: new Set<string>(),
    update: new Set<string>(),
    session: new Set<string>(),
  };

  /** What can follow a search, the best first. */
  suggest(rows: readonly Row[], search: string): readonly Suggestion[] {
    this.#read(rows);
    const start = search.length - (search.split(/\s/).at(-1)?.length ?? 0);
    const before = search.slice(0, start);
    const [, not = '', name, typed = ''] = /^(-?)(?:([a-z]+):"?)?(.*)$/.exec(search.slice(start)) ?? [];
    const found = Object.entries(words).flatMap(([word, says]): Suggestion[] => {
      // The key of the table.
      const key = word as keyof typeof words;
      if (name === undefined && word.startsWith(typed)) {
        return [{ text: `${before}${not}${word}:`, shown: `${not}${word}:`, says }];
      }
      if (name !== undefined && name !== word) return [];
      const values = [...this.#values[key]].sort().filter((value) => fits(value, typed, name === undefined));
      return values.map((value) => {
        const shown = not + written(key, value);
        return { text: `${before}${shown} `, shown, says: '' };
      });
    });
    const isWord = ({ text }: Suggestion) => text.endsWith(':');
    return [...found.filter(isWord), ...found.filter((each) => !isWord(each))].slice(0, maxSuggested);
  }

  #read(rows: readonly Row[]): void {
    if (rows !== this.#rows) this.#seen = 0;
    this.#rows = rows;
    for (; this.#seen < rows.length; this.#seen++) {
      const row = rows[this.#seen];
      if (row?.item.type !== 'message') continue;
      const update = updateIn(row.item.msg)?.['sessionUpdate'];
      this.#values.method.add(row.label);
      if (typeof update === 'string') this.#values.update.add(update);
      if (row.sessionId !== null) this.#values.session.add(row.sessionId);
    }
  }
}

/** Whether a value completes what is typed. Without a name before it, two letters are needed. */
function fits(value: string, typed: string, isFree: boolean): boolean {
  if (isFree && typed.length < 2) return false;
  return value.length > typed.length && !value.includes('"') && value.includes(typed);
}
