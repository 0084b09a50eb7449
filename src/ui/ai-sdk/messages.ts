import type { Conversation } from '../../core/model/conversation.ts';
import { type Exchange, exchangesOf } from '../bridges/exchanges.ts';
import { messageParts } from './content-parts.ts';
import type { AcpUIMessage } from './message-type.ts';
import { answerSections, stateParts, turnMetadata } from './sections.ts';
import { askAll } from './tool-parts.ts';

/**
 * The messages of a conversation for AI SDK: of a session, or one that was loaded, recorded or saved (read that one with
 * `importConversation`). The last message has the state of the session, such as its plans, if the agent has answered.
 *
 * What `toUIMessageStream` gave for a turn has built the same message.
 *
 * @example
 * ```ts
 * const chat = useChat({ messages: toUIMessages(session.conversation), transport: chatTransport(session) });
 * ```
 */
export function toUIMessages(conversation: Conversation): AcpUIMessage[] {
  const messages: AcpUIMessage[] = [];
  for (const exchange of exchangesOf(conversation.entries)) {
    const { question } = exchange;
    if (question) messages.push({ id: question.key, role: 'user', parts: messageParts(question) });
    const parts = answerSections(conversation, exchange, askAll).flatMap((section) => section.parts());
    if (parts.length > 0) messages.push({ id: answerId(question), role: 'assistant', parts });
  }
  const last = messages.at(-1);
  if (last?.role === 'assistant') {
    last.parts.unshift(...stateParts(conversation));
    const metadata = turnMetadata(conversation);
    if (metadata) last.metadata = metadata;
  }
  return messages;
}

/** The id of the message that answers a message of the user. */
export function answerId(question: Exchange['question']): string {
  return `answer:${question?.key ?? ''}`;
}
