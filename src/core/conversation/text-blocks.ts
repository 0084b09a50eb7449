import type { ContentBlock } from '../model/content.ts';
import type { ConversationEntry } from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { TextBuffer } from './text-buffer.ts';

export type Block = ContentBlock | ToolCallContent;
export type PlainText = { readonly type: 'text'; readonly text: string };

/** Whether a block is text without annotations, metadata or other fields. Neighboring plain texts are joined. */
export function isPlainText(block: Block): block is PlainText {
  return countPlainFields(block) > 0;
}

/** How many fields a plain text has, with those that are `null`. Zero for any other block. */
function countPlainFields(block: Block): number {
  if (block.type !== 'text') return 0;
  let count = 0;
  for (const key in block) {
    if (key !== 'type' && key !== 'text' && block[key as keyof typeof block] != null) return 0;
    count++;
  }
  return count;
}

/**
 * The blocks of a whole message as its chunks would have left them: neighboring plain texts are one block, without the
 * fields that are `null`. Returns the same list if there is nothing to join.
 */
export function joinTexts(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  if (!hasUnfinished(blocks)) return blocks;
  const joined: ContentBlock[] = [];
  const text = new TextBuffer();
  const flush = () => {
    if (text.started) joined.push({ type: 'text', text: text.take() });
  };
  for (const block of blocks) {
    if (isPlainText(block)) text.push(block.text);
    else {
      flush();
      joined.push(block);
    }
  }
  flush();
  return joined;
}

/** Whether a plain text follows another one, or has a field that is `null`. This runs for each whole message. */
function hasUnfinished(blocks: readonly ContentBlock[]): boolean {
  let isAfterText = false;
  for (const block of blocks) {
    const fields = countPlainFields(block);
    const isText = fields > 0;
    if (fields > 2 || (isText && isAfterText)) return true;
    isAfterText = isText;
  }
  return false;
}

/**
 * An entry with its texts joined, see {@link joinTexts}. The output of a tool call is not joined: its items are
 * separate.
 */
export function withJoinedTexts(entry: ConversationEntry): ConversationEntry {
  if (entry.kind === 'toolCall') return entry;
  // Only a tool call has other items than blocks of content.
  const blocks = blocksOf(entry) as readonly ContentBlock[];
  const joined = joinTexts(blocks);
  return joined === blocks ? entry : withBlocks(entry, joined);
}

/** What an entry shows: its content, or the summary of a compaction. */
export function blocksOf(entry: ConversationEntry | undefined): readonly Block[] {
  if (!entry || entry.kind === 'unknown' || entry.kind === 'turnFailure') return [];
  return entry.kind === 'compaction' ? entry.summary : entry.content;
}

/** The entry with other blocks, which are of its kind. */
export function withBlocks(entry: ConversationEntry, blocks: readonly Block[]): ConversationEntry {
  // The transitions append content blocks to messages and tool call content to tool calls.
  return (
    entry.kind === 'compaction' ? { ...entry, summary: blocks } : { ...entry, content: blocks }
  ) as ConversationEntry;
}
