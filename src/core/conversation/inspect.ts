import { inspectMethod } from '../base/inspect.ts';
import { shortened } from '../base/printable.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { textOf } from './select.ts';

/** How many entries are shown: the last ones. */
const maxEntries = 10;

/**
 * Gives a conversation the method that `console.log` of Node, Bun and Deno calls. It is not listed among the
 * properties, so that the conversation stays plain data for everything else.
 */
export function withInspection<T extends Conversation>(conversation: T): T {
  return Object.defineProperty(conversation, inspectMethod, { value: inspectConversation });
}

function inspectConversation(this: Conversation, depth: number): string {
  const { sessionId, info, activity, entries } = this;
  if (depth < 0) return `[Conversation ${sessionId}]`;
  const title = info.title === null ? '' : ` ${JSON.stringify(info.title)}`;
  const hidden = entries.length - maxEntries;
  return [
    `Conversation ${sessionId}${title}: ${activity.state}, ${entries.length} entries`,
    ...(hidden > 0 ? [`  … ${hidden} more`] : []),
    ...entries.slice(-maxEntries).map((entry) => `  ${inShort(entry)}`),
  ].join('\n');
}

function inShort(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'message':
      return `${entry.role}: ${oneLine(textOf(entry))}`;
    case 'sessionMessage':
      return `session message: ${oneLine(textOf(entry))}`;
    case 'toolCall':
      return `tool: ${oneLine(entry.title ?? entry.toolCallId)} (${entry.status})`;
    case 'compaction':
      return `compaction: ${entry.status}`;
    case 'turnFailure':
      return `${entry.cause}: ${oneLine(entry.reason)}`;
    case 'unknown':
      return `unknown: ${oneLine(entry.tag)}`;
  }
}

/** Text from the agent, safe to write to a terminal. */
function oneLine(text: string): string {
  return JSON.stringify(shortened(text, 60)).slice(1, -1);
}
