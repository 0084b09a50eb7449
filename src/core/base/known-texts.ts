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
  /** How the texts can be written. Sorted when they are looked for, and not for each text that is added. */
  #forms: readonly string[] | undefined;

  /** How long the longest form of a known text is. 0: none is known. */
  get longest(): number {
    return this.#sortedForms()[0]?.length ?? 0;
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

  /** The text with each known text replaced. */
  replace(text: string, replacement: string): string {
    let parts = [text];
    for (const form of this.#sortedForms()) {
      if (text.includes(form)) parts = parts.flatMap((part) => part.split(form));
    }
    return parts.join(replacement);
  }

  /** Where the beginning of a known text starts that goes on after `end`. At least `minShown` characters must be there. */
  startOfCut(text: string, end: number, minShown: number): number | undefined {
    const forms = this.#sortedForms();
    for (let start = Math.max(0, end - this.longest + 1); start <= end - minShown; start++) {
      const rest = text.slice(start, end);
      if (forms.some((form) => form.length > rest.length && form.startsWith(rest))) return start;
    }
    return undefined;
  }

  #forget(text: string): void {
    if (this.#texts.delete(text)) this.#characters -= text.length;
  }

  /** The longest first: one may be the beginning of another one. */
  #sortedForms(): readonly string[] {
    // Within JSON a text is written in another form.
    this.#forms ??= [
      ...new Set([...this.#texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])),
    ].sort((one, other) => other.length - one.length);
    return this.#forms;
  }
}
