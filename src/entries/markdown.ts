export { markdownBlocks, renderMarkdownHtml } from '../markdown/markdown.ts';
export type * from '../markdown/options.ts';
