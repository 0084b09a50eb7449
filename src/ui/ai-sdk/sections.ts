import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import type { ChatQuestion } from '../bridges/ask-in-chat.ts';
import type { Exchange } from '../bridges/exchanges.ts';
import { entryParts } from './entry-parts.ts';
import type { Section } from './message-writer.ts';
import { stateOf, stateParts } from './state-parts.ts';
import { approvalIdOf, questionParts, type ToolContext, terminalsOf } from './tool-parts.ts';

/** The sections of what the agent did. An entry without parts, such as a message that is still empty, has none. */
export function answerSections(
  { terminals }: Conversation,
  { answer }: Exchange,
  approvalId: ToolContext['approvalId'],
): Section[] {
  const context = { terminals, approvalId };
  return answer.filter(hasParts).map((entry) => ({
    key: entry.key,
    sources: sourcesOf(entry, context),
    parts: () => entryParts(entry, context),
  }));
}

function hasParts(entry: ConversationEntry): boolean {
  return (
    entry.kind !== 'message' || entry.content.some((block) => block.type !== 'text' || block.text !== '')
  );
}

/** The section of the state of the session, which the last message begins with. */
export function stateSection(conversation: Conversation): Section {
  return { key: '', sources: Object.values(stateOf(conversation)), parts: () => stateParts(conversation) };
}

/** The section of a request that is not about a tool call. */
export function questionSection(question: ChatQuestion): Section {
  return { key: question.id, sources: [question], parts: () => questionParts(question) };
}

function sourcesOf(entry: ConversationEntry, context: ToolContext): readonly unknown[] {
  if (entry.kind !== 'toolCall') return [entry];
  return [entry, approvalIdOf(entry, context), ...terminalsOf(entry, context)];
}
