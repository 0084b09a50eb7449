import type { MarkdownIt } from 'markdown-it';
import type { Block } from './block.ts';

/**
 * A name of a block that comes after this many different ones gets no address. Each address draws the blocks with its name
 * again: without a limit, the time grows with the product of the names and the text.
 */
const maxNames = 32;

/** The addresses by the names that stand for them, as a parser shares them between the parts of a text. */
export type References = Record<string, { readonly title: string; readonly href: string }>;

const bracketed = /\[([^[\]]+)\]/g;

/** The addresses that a text defines for names, such as `[name]: https://example.com`, and where the names are used. */
export class ReferenceIndex {
  readonly #known: References = Object.create(null);
  readonly #uses = new Map<string, Block[]>();
  readonly #normalize: (name: string) => string;

  constructor({ utils }: MarkdownIt) {
    this.#normalize = utils.normalizeReference;
  }

  /** The addresses so far. What a parser adds is not kept. */
  layer(): References {
    // The first definition of a name counts: a parser finds those that are known.
    return Object.create(this.#known);
  }

  /** Those that the names of a block can have. */
  ofBlock(source: string, references: References): References {
    const own: References = Object.create(references);
    // The parser takes a name with `undefined` for one without an address. Its type has no such names.
    for (const name of this.#namesIn(source).slice(maxNames)) own[name] = undefined as never;
    return own;
  }

  /** Keeps what a parser added. Returns the finished blocks that use it. */
  keep(references: References): Iterable<Block> {
    const changed = new Set<Block>();
    for (const [name, definition] of Object.entries(references)) {
      this.#known[name] = definition;
      for (const block of this.#uses.get(name) ?? []) changed.add(block);
      this.#uses.delete(name);
    }
    return changed;
  }

  /** Notes the names in a finished block that have no address yet. */
  addUse(block: Block): void {
    for (const name of this.#namesIn(block.source).slice(0, maxNames)) {
      if (name in this.#known) continue;
      const uses = this.#uses.get(name) ?? [];
      uses.push(block);
      this.#uses.set(name, uses);
    }
  }

  /** The names in brackets, each once. */
  #namesIn(source: string): readonly string[] {
    return [...new Set(Array.from(source.matchAll(bracketed), ([, text = '']) => this.#normalize(text)))];
  }
}
