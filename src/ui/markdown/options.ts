/** Options of `renderMarkdownHtml` and `markdownBlocks`. */
export interface MarkdownOptions {
  /**
   * Which addresses become links. `web`, the default, is `http` and `https`. `webAndFiles` adds paths and `file:`
   * addresses: the page must handle their clicks, for example with `panel.openLocation`. The text of another link is
   * shown without a link, with the address as its tooltip.
   */
  readonly links?: 'web' | 'webAndFiles' | undefined;
  /**
   * Buttons above each block of code: the label of each, by a name such as `copy`. A button has the name as its attribute
   * `data-code-button`, and the page handles its click. The code is in the `pre` of the same `.code`. Default: none.
   */
  readonly codeButtons?: Readonly<Record<string, string>> | undefined;
}

/** A block of Markdown at the top level, such as a paragraph, a list or a block of code. */
export interface MarkdownBlock {
  /** Stays the same while the text grows. It is unique in its text. */
  readonly key: string;
  /**
   * HTML that is safe to insert. It is made when it is first read, so read it only where the block is drawn. That of a
   * block of code is all of it each time: draw long code that grows by its `code.pieces`.
   */
  readonly html: string;
  /**
   * The code of a block of code, to draw it piece by piece. `null` for other blocks, also for a list that contains code.
   */
  readonly code: MarkdownCode | null;
}

/** The code of a {@link MarkdownBlock}. */
export interface MarkdownCode {
  /** The language as the text names it, such as `ts`. Empty if it does not. */
  readonly language: string;
  /** The code in pieces of about a hundred lines. All but the last one stay the same while the text grows. */
  readonly pieces: readonly string[];
}

/** Web addresses. All other addresses are those of files, or do nothing. */
export const webAddress = /^https?:/i;

/** An address without a scheme, a path with a drive of Windows, or a `file:` address. */
export const fileAddress = /^(?:file:|[a-z]:|(?![a-z][a-z\d+.-]*:))/i;
