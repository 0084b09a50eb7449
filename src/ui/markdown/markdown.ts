import type { MarkdownBlock, MarkdownOptions } from './options.ts';
import { markdownParser } from './parser.ts';
import { MarkdownReader } from './reader.ts';

/**
 * The blocks of a text, which continues the text of the last call or is another one.
 *
 * @param holder - The object that has the text in a conversation, such as a block of an entry. With it, a text that the
 *   conversation has extended is not compared with the one before, so a long text takes no more time than a short one.
 */
export type MarkdownBlocks = (text: string, holder?: object) => readonly MarkdownBlock[];

/**
 * Reads the Markdown of a text that grows: of one text block of a message. Call the function that it returns with the
 * whole text again and again: it returns the blocks of the text. A block that the text has finished is the same object each
 * time, and is not parsed again, so draw the blocks that are new. A text that does not continue the one before is read from
 * its start.
 *
 * A list, a table, a quotation or a paragraph of more than 4,096 characters is divided into several blocks, and a list with
 * bullets of more than 1,024. A definition of a link, such as `[name]: https://example.com`, can replace the earlier blocks
 * that use its name. Of the names of a block in brackets, the first 32 different ones can have a definition, because each
 * definition draws the block again. The others stay text.
 *
 * @example
 * ```ts
 * const blocksOf = markdownBlocks();
 * const draw = (text: string) => {
 *   blocksOf(text).forEach((block, index) => {
 *     if (block === drawn[index]) return;
 *     drawn[index] = block;
 *     rowAt(index).innerHTML = block.html;
 *   });
 * };
 * ```
 */
export function markdownBlocks(options: MarkdownOptions = {}): MarkdownBlocks {
  const parser = markdownParser(options);
  let reader = new MarkdownReader(parser, options);
  return (text, holder = {}) => {
    const blocks = reader.read(text, holder);
    if (blocks) return blocks;
    reader = new MarkdownReader(parser, options);
    return reader.read(text, holder) ?? [];
  };
}

/**
 * Renders Markdown as HTML: a text block of a message. It is the HTML of all {@link markdownBlocks}. Draw the other blocks,
 * such as pictures, yourself: `textOf` leaves them out, and joins the texts around them.
 *
 * The HTML is safe to insert. HTML in the text is escaped, no picture is loaded, and only addresses that `links` permits
 * are links. Escape sequences and invisible characters are removed, as by `plainText`. Blocks of code are a `.code` with
 * the language before the `pre`, tables are in a `.table` that can scroll, and items of task lists have the class `task`.
 * `acp-client-sdk/entry.css` is a style sheet for it.
 *
 * @example
 * ```ts
 * for (const block of entry.content) {
 *   if (block.type === 'text') row.insertAdjacentHTML('beforeend', renderMarkdownHtml(block.text));
 *   if (block.type === 'image') addPicture(row, block);
 * }
 * ```
 */
export function renderMarkdownHtml(text: string, options: MarkdownOptions = {}): string {
  return markdownBlocks(options)(text)
    .map(({ html }) => html)
    .join('');
}
