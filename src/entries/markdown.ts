export type { MarkdownBlocks } from '../ui/markdown/markdown.ts';
export { markdownBlocks, renderMarkdownHtml } from '../ui/markdown/markdown.ts';
export type * from '../ui/markdown/options.ts';
