/** Texts are looked up by this many first characters. Shorter texts cannot be added. */
const startLength = 8;

/** The forms of one length, and how many texts have each of them. */
type FormsOfLength = Map<string, number>;

/**
 * Finds any of many texts in another text, in one pass. A regular expression of long texts takes seconds to compile, or
 * is refused. At most this many texts are known, and the oldest are forgotten first.
 */
export class KnownTexts {
  readonly #maxTexts: number;
  readonly #maxCharacters: number;
  /** Each text with its forms, the oldest first. */
  readonly #texts = new Map<string, readonly string[]>();
  /**
   * The forms by their start and their length, the longest first: one may be the beginning of another one. Many texts
   * with the same start, such as tokens, mostly have the same length, and are found by one look-up.
   */
  readonly #byStart = new Map<string, Map<number, FormsOfLength>>();
  /**
   * How many forms begin with two characters of this hash: most places in a text are skipped by it. It has 128 KiB, and is
   * made for the first text: most connections have none.
   */
  #starts: Uint16Array | undefined;
  #characters = 0;
  #longest = 0;

  constructor(maxTexts: number, maxCharacters: number) {
    this.#maxTexts = maxTexts;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#texts.size;
  }

  /** How long the longest form of a known text is, at most. It does not become less. */
  get longest(): number {
    return this.#longest;
  }

  /** Adds a text, or makes it the newest. */
  add(text: string): void {
    if (text.length < startLength || text.length > this.#maxCharacters) return;
    this.#forget(text);
    // Within JSON a text is written in another form.
    const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])];
    this.#texts.set(text, forms);
    this.#characters += text.length;
    for (const form of forms) {
      this.#addForm(form);
      this.#longest = Math.max(this.#longest, form.length);
    }
    for (const [oldest] of this.#texts) {
      if (this.#texts.size <= this.#maxTexts && this.#characters <= this.#maxCharacters) break;
      this.#forget(oldest);
    }
  }

  /** The text with each known text replaced. Returns the same text if there is none. */
  replace(text: string, replacement: string): string {
    if (!this.#starts) return text;
    let replaced = '';
    let copied = 0;
    for (let index = 0; index + startLength <= text.length; index++) {
      const found = this.#at(text, index, this.#starts);
      if (found === undefined) continue;
      replaced += text.slice(copied, index) + replacement;
      copied = index + found.length;
      index = copied - 1;
    }
    return copied === 0 ? text : replaced + text.slice(copied);
  }

  /**
   * Where the beginning of a known text starts that goes on after `end`. At least `minLength` characters must be there.
   */
  startOfCut(text: string, end: number, minLength: number): number | undefined {
    if (!this.#starts) return undefined;
    for (let start = Math.max(0, end - this.#maxCharacters); start <= end - minLength; start++) {
      if (this.#starts[hashOf(text, start)] === 0) continue;
      const rest = text.slice(start, end);
      const candidates =
        rest.length < startLength
          ? [...this.#texts.values()].flat()
          : [...(this.#byStart.get(rest.slice(0, startLength))?.values() ?? [])].flatMap((forms) => [
              ...forms.keys(),
            ]);
      if (candidates.some((form) => form.length > rest.length && form.startsWith(rest))) return start;
    }
    return undefined;
  }

  #at(text: string, index: number, starts: Uint16Array): string | undefined {
    if (starts[hashOf(text, index)] === 0) return undefined;
    const lengths = this.#byStart.get(text.slice(index, index + startLength));
    for (const [length, forms] of lengths ?? []) {
      const form = text.slice(index, index + length);
      if (forms.has(form)) return form;
    }
    return undefined;
  }

  #addForm(form: string): void {
    const start = form.slice(0, startLength);
    const lengths = this.#byStart.get(start) ?? new Map<number, FormsOfLength>();
    const forms: FormsOfLength = lengths.get(form.length) ?? new Map();
    forms.set(form, (forms.get(form) ?? 0) + 1);
    if (!lengths.has(form.length)) {
      const sorted = [...lengths, [form.length, forms] as const].sort(([one], [other]) => other - one);
      this.#byStart.set(start, new Map(sorted));
    }
    this.#count(form, 1);
  }

  #forget(text: string): void {
    const forms = this.#texts.get(text);
    if (!forms) return;
    this.#texts.delete(text);
    this.#characters -= text.length;
    for (const form of forms) {
      this.#removeForm(form);
      this.#count(form, -1);
    }
  }

  #removeForm(form: string): void {
    const start = form.slice(0, startLength);
    const lengths = this.#byStart.get(start);
    const forms = lengths?.get(form.length);
    const texts = forms?.get(form) ?? 0;
    if (texts > 1) forms?.set(form, texts - 1);
    else forms?.delete(form);
    if (forms?.size === 0) lengths?.delete(form.length);
    if (lengths?.size === 0) this.#byStart.delete(start);
  }

  #count(form: string, difference: 1 | -1): void {
    const hash = hashOf(form, 0);
    this.#starts ??= new Uint16Array(2 ** 16);
    this.#starts[hash] = (this.#starts[hash] ?? 0) + difference;
  }
}

/** Of two characters. */
function hashOf(text: string, index: number): number {
  return (text.charCodeAt(index) * 31 + text.charCodeAt(index + 1)) & 0xffff;
}
