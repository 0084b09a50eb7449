import type { MarkdownBlock } from './options.ts';

/** A block that is not code. Its HTML is made where it is needed: of a text that comes fast, a page draws the end first. */
export class TextBlock implements MarkdownBlock {
  readonly key: string;
  readonly code = null;
  /** Empty if the block shows nothing. */
  readonly source: string;
  readonly #render: () => string;
  #html: string | undefined;

  constructor(key: string, source: string, render: () => string) {
    this.key = key;
    this.source = source;
    this.#render = render;
  }

  get html(): string {
    this.#html ??= this.source === '' ? '' : this.#render();
    return this.#html;
  }

  /** Whether another block has the same HTML. A name in brackets may have an address now. */
  isEqual(other: TextBlock): boolean {
    return this.source === other.source && (!this.source.includes('[') || this.html === other.html);
  }
}
