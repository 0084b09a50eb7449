/**
 * The Markdown of messages as HTML, also while it grows. It needs the package `markdown-it`.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export { type MarkdownBlocks, markdownBlocks, renderMarkdownHtml } from '../ui/markdown/markdown.ts';
export type { MarkdownBlock, MarkdownOptions } from '../ui/markdown/options.ts';
