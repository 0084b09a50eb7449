export type { MarkdownBlocks } from '../markdown/markdown.ts';
export { markdownBlocks, renderMarkdownHtml } from '../markdown/markdown.ts';
export type * from '../markdown/options.ts';
