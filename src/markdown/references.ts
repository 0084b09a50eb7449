import type { MarkdownIt } from 'markdown-it';

type Definitions = Record<string, { readonly title: string; readonly href: string }>;

/** What a parser shares between the parts of a text. */
export interface References {
  readonly references: Definitions;
}

/** Whether a parser has added nothing. */
export function isEmpty({ references }: References): boolean {
  return Object.keys(references).length === 0;
}

/** A finished block that is drawn again when a name in it gets an address. */
interface Use {
  /** The place of the block in the list. */
  readonly index: number;
  readonly source: string;
}

const bracketed = /\[([^[\]]+)\]/g;

/** The addresses that a text defines for names, such as `[name]: https://example.com`, and where the names are used. */
export class ReferenceIndex {
  readonly #known: Definitions = Object.create(null);
  readonly #uses = new Map<string, Use[]>();
  readonly #normalize: (name: string) => string;

  constructor({ utils }: MarkdownIt) {
    this.#normalize = utils.normalizeReference;
  }

  /** The addresses so far. What a parser adds is not kept. */
  layer(): References {
    // The first definition of a name counts: a parser finds those that are known.
    return { references: Object.create(this.#known) };
  }

  /** Keeps what a parser added. Returns the finished blocks that use it. */
  keep({ references }: References): Iterable<Use> {
    const changed = new Map<number, Use>();
    for (const [name, definition] of Object.entries(references)) {
      this.#known[name] = definition;
      for (const use of this.#uses.get(name) ?? []) changed.set(use.index, use);
      this.#uses.delete(name);
    }
    return changed.values();
  }

  /** Notes the names in a finished block that have no address yet. */
  addUse(index: number, source: string): void {
    for (const [, text = ''] of source.matchAll(bracketed)) {
      const name = this.#normalize(text);
      if (name in this.#known) continue;
      const uses = this.#uses.get(name) ?? [];
      if (uses.at(-1)?.index === index) continue;
      uses.push({ index, source });
      this.#uses.set(name, uses);
    }
  }
}
