/** Shorter texts cannot be added. */
const minLength = 8;

/** How many texts are known at most: the last ones that were added. */
export const maxKnownTexts = 1000;

/** How long all known texts are together at most, in characters. */
export const maxKnownCharacters = 1024 * 1024;

/** Finds any of many texts in another text. The oldest are forgotten first. */
export class KnownTexts {
  /** The oldest first. */
  readonly #texts = new Set<string>();
  #characters = 0;
  /** Made when the texts are looked for, and not for each text that is added. */
  #forms: ReturnType<typeof formsOf> | undefined;

  /** How long the longest form of a known text is. 0: none is known. */
  get longest(): number {
    return this.#sortedForms().lengths[0] ?? 0;
  }

  /** Adds a text, or makes it the newest. */
  add(text: string): void {
    if (text.length < minLength || text.length > maxKnownCharacters) return;
    this.#forget(text);
    this.#texts.add(text);
    this.#characters += text.length;
    for (const oldest of this.#texts) {
      if (this.#texts.size <= maxKnownTexts && this.#characters <= maxKnownCharacters) break;
      this.#forget(oldest);
    }
    this.#forms = undefined;
  }

  /** The text with each known text replaced. Those that overlap are replaced together. */
  replace(text: string, replacement: string): string {
    const { all, lengths, beginnings } = this.#sortedForms();
    let replaced = '';
    let end = 0;
    while (beginnings.test(text)) {
      const index = beginnings.lastIndex - minLength;
      // One can begin within another one.
      beginnings.lastIndex = index + 1;
      const length = lengths.find((each) => all.has(text.slice(index, index + each)));
      if (length === undefined) continue;
      if (index >= end) replaced += text.slice(end, index) + replacement;
      end = Math.max(end, index + length);
    }
    return replaced + text.slice(end);
  }

  /** Where the beginning of a known text starts that goes on after `end`. At least `minShown` characters must be there. */
  startOfCut(text: string, end: number, minShown: number): number | undefined {
    const forms = [...this.#sortedForms().all];
    for (let start = Math.max(0, end - this.longest + 1); start <= end - minShown; start++) {
      const rest = text.slice(start, end);
      if (forms.some((form) => form.length > rest.length && form.startsWith(rest))) return start;
    }
    return undefined;
  }

  #forget(text: string): void {
    if (this.#texts.delete(text)) this.#characters -= text.length;
  }

  #sortedForms() {
    // Within JSON a text is written in another form.
    this.#forms ??= formsOf([...this.#texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
    return this.#forms;
  }
}

/** How the known texts can be written. The longest come first: one may be the beginning of another one. */
function formsOf(written: readonly string[]) {
  const sorted = written.toSorted((one, other) => other.length - one.length);
  const beginnings = sorted.map((form) => form.slice(0, minLength).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return {
    all: new Set(sorted),
    lengths: [...new Set(sorted.map(({ length }) => length))],
    // Finds where one can begin. A search for each of them would take as many times as long.
    beginnings: new RegExp([...new Set(beginnings)].join('|') || '(?!)', 'g'),
  };
}
