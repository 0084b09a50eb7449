/** Texts are looked up by this many first characters. Shorter texts cannot be added. */
const startLength = 8;

/**
 * Finds any of many texts in another text, in one pass. A regular expression of long texts takes seconds to compile, or
 * is refused. At most so many texts are known, and the oldest are forgotten first.
 */
export class KnownTexts {
  readonly #maxTexts: number;
  readonly #maxCharacters: number;
  /** Each text with its forms, the oldest first. */
  readonly #texts = new Map<string, readonly string[]>();
  /** The forms by their start, the longest first: one may be the beginning of another one. */
  readonly #byStart = new Map<string, string[]>();
  /** How many forms begin with two characters of this hash: most places in a text are skipped by it. */
  readonly #starts = new Uint16Array(2 ** 16);
  #characters = 0;

  constructor(maxTexts: number, maxCharacters: number) {
    this.#maxTexts = maxTexts;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#texts.size;
  }

  /** Adds a text, or makes it the newest. */
  add(text: string): void {
    if (text.length < startLength || text.length > this.#maxCharacters) return;
    this.#forget(text);
    // Within JSON a text is written in another form.
    const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])];
    this.#texts.set(text, forms);
    this.#characters += text.length;
    for (const form of forms) this.#addForm(form);
    for (const [oldest] of this.#texts) {
      if (this.#texts.size <= this.#maxTexts && this.#characters <= this.#maxCharacters) break;
      this.#forget(oldest);
    }
  }

  /** The text with each known text replaced. Returns the same text if there is none. */
  replace(text: string, replacement: string): string {
    let replaced = '';
    let copied = 0;
    for (let index = 0; index + startLength <= text.length; index++) {
      const found = this.#at(text, index);
      if (found === undefined) continue;
      replaced += text.slice(copied, index) + replacement;
      copied = index + found.length;
      index = copied - 1;
    }
    return copied === 0 ? text : replaced + text.slice(copied);
  }

  /** Where the beginning of a known text starts that goes on after `end`. At least `minLength` characters must be there. */
  startOfCut(text: string, end: number, minLength: number): number | undefined {
    for (let start = Math.max(0, end - this.#maxCharacters); start <= end - minLength; start++) {
      if (this.#starts[hashOf(text, start)] === 0) continue;
      const rest = text.slice(start, end);
      const candidates =
        rest.length < startLength
          ? [...this.#texts.values()].flat()
          : (this.#byStart.get(rest.slice(0, startLength)) ?? []);
      if (candidates.some((form) => form.length > rest.length && form.startsWith(rest))) return start;
    }
    return undefined;
  }

  #at(text: string, index: number): string | undefined {
    if (this.#starts[hashOf(text, index)] === 0) return undefined;
    const forms = this.#byStart.get(text.slice(index, index + startLength));
    return forms?.find((form) => text.startsWith(form, index));
  }

  #addForm(form: string): void {
    const start = form.slice(0, startLength);
    const forms = this.#byStart.get(start) ?? [];
    const shorter = forms.findIndex(({ length }) => length < form.length);
    forms.splice(shorter === -1 ? forms.length : shorter, 0, form);
    this.#byStart.set(start, forms);
    this.#count(form, 1);
  }

  #forget(text: string): void {
    const forms = this.#texts.get(text);
    if (!forms) return;
    this.#texts.delete(text);
    this.#characters -= text.length;
    for (const form of forms) {
      const start = form.slice(0, startLength);
      const others = this.#byStart.get(start) ?? [];
      others.splice(others.indexOf(form), 1);
      if (others.length === 0) this.#byStart.delete(start);
      this.#count(form, -1);
    }
  }

  #count(form: string, difference: 1 | -1): void {
    const hash = hashOf(form, 0);
    this.#starts[hash] = (this.#starts[hash] ?? 0) + difference;
  }
}

/** Of two characters. */
function hashOf(text: string, index: number): number {
  return (text.charCodeAt(index) * 31 + text.charCodeAt(index + 1)) & 0xffff;
}
