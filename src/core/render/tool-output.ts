import { equal } from '../conversation/equal.ts';
import { findTerminal } from '../conversation/select.ts';
import type { ContentBlock, UnknownContent } from '../model/content.ts';
import type {
  Conversation,
  ConversationTerminal,
  SubagentInfo,
  ToolCallEntry,
} from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { diffLines, type FileDiff } from './diff-lines.ts';

/**
 * An item of what a tool call shows, see {@link toolOutput}. Later versions can add types: ignore those you do not
 * know.
 */
export type ToolOutputItem =
  | {
      /** Text, an image or another block of content. */
      readonly type: 'content';
      readonly content: ContentBlock;
    }
  | {
      /** Changes of files, with their lines. */
      readonly type: 'diff';
      readonly files: readonly FileDiff[];
    }
  | {
      /** A command and its output. */
      readonly type: 'terminal';
      readonly terminalId: string;
      /** `null` if the conversation does not have the terminal. */
      readonly terminal: ConversationTerminal | null;
    }
  | {
      /** A session that works on this tool call. */
      readonly type: 'session';
      readonly sessionId: string;
      /** What the agent says about the session. `null` if it is not a subagent of this conversation. */
      readonly subagent: SubagentInfo | null;
    }
  | {
      /** Output of a type that this library does not know. */
      readonly type: 'unknown';
      readonly content: UnknownContent;
    };

/** The items so far, by what the agent sent. They say whether they are still current. */
const items = new WeakMap<ToolCallContent, ToolOutputItem>();
const outputs = new WeakMap<ToolCallEntry['content'], readonly ToolOutputItem[]>();

/**
 * What a tool call shows, in the order of its content: blocks, diffs with their lines, terminals with their output, and
 * the sessions that work for it.
 *
 * Returns the same list, with the same items, as long as neither the tool call nor a terminal or a session that it
 * refers to changes. So a component that gets the list is drawn again only when there is something new. The text comes
 * from the agent and its programs: pass it through `plainText`, or interpret its escape sequences.
 *
 * @example
 * ```ts
 * for (const item of toolOutput(conversation, entry)) {
 *   if (item.type === 'terminal' && item.terminal) show(plainText(item.terminal.output));
 * }
 * ```
 */
export function toolOutput(
  conversation: Conversation,
  { content }: ToolCallEntry,
): readonly ToolOutputItem[] {
  const known = outputs.get(content);
  if (known?.every((item) => isCurrent(item, conversation))) return known;
  const output = Object.freeze(content.map((item) => itemOf(item, conversation)));
  outputs.set(content, output);
  return output;
}

function itemOf(content: ToolCallContent, conversation: Conversation): ToolOutputItem {
  const known = items.get(content);
  if (known && isCurrent(known, conversation)) return known;
  const item = Object.freeze(resolve(content, conversation));
  items.set(content, item);
  return item;
}

function isCurrent(item: ToolOutputItem, conversation: Conversation): boolean {
  if (item.type === 'terminal')
    return item.terminal === (findTerminal(conversation, item.terminalId) ?? null);
  // A mirror makes new objects for all subagents when one of them changes.
  if (item.type === 'session') return equal(item.subagent, subagentOf(conversation, item.sessionId));
  return true;
}

function resolve(content: ToolCallContent, conversation: Conversation): ToolOutputItem {
  if (content.type === 'content') return { type: 'content', content: content.content };
  if (content.type === 'diff') return { type: 'diff', files: diffLines(content) };
  if (content.type === 'terminal') {
    const { terminalId } = content;
    return { type: 'terminal', terminalId, terminal: findTerminal(conversation, terminalId) ?? null };
  }
  if (content.type === 'session') {
    const { sessionId } = content;
    return { type: 'session', sessionId, subagent: subagentOf(conversation, sessionId) };
  }
  return { type: 'unknown', content };
}

function subagentOf({ subagents = [] }: Conversation, sessionId: string): SubagentInfo | null {
  return subagents.find((subagent) => subagent.sessionId === sessionId) ?? null;
}
