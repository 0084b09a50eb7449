import { equal } from '../../core/conversation/equal.ts';
import type { MarkdownBlock } from './options.ts';

export interface Block extends MarkdownBlock {
  /** The Markdown of a block that is not code. Empty if it shows nothing. */
  readonly source: string;
}

/** A block. Its HTML is made where it is needed: of a text that comes fast, a page draws the end first. */
export function lazyBlock(known: Omit<Block, 'html'>, render: () => string): Block {
  let html: string | undefined;
  return {
    ...known,
    get html() {
      html ??= render();
      return html;
    },
  };
}

/** Whether two blocks have the same HTML. */
export function isSameBlock(before: Block, now: Block): boolean {
  if (before.source !== now.source || !equal(before.code, now.code)) return false;
  // A name in brackets may have an address now.
  return !now.source.includes('[') || before.html === now.html;
}
