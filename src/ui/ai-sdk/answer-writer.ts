import { promptKeyPrefix } from '../../core/client/session/prompt-keys.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import type { ChatSource, SentPrompt } from '../bridges/chat-source.ts';
import { createCredit, eventBase, eventSize } from '../bridges/credit.ts';
import { type Exchange, exchangesFrom } from '../bridges/exchanges.ts';
import type { AcpMessageMetadata } from './message-type.ts';
import { type MessageWriter, messageWriter, type Section } from './message-writer.ts';
import { answerId } from './messages.ts';
import type { AcpChunk } from './part-chunks.ts';
import { answerSections, questionSection, stateSection, turnMetadata } from './sections.ts';
import type { ToolContext } from './tool-parts.ts';

/** What a stream shows. */
export interface Shown extends SentPrompt {
  readonly source: ChatSource;
  readonly approvalId: ToolContext['approvalId'];
  /** The id of the message that the reader has. If nothing is left of it, it is emptied. */
  readonly begun?: string | undefined;
}

/** The size of a change about which only its existence is known, in characters. */
const unseenSize = 256;

/**
 * Begins to turn a conversation into the chunks of the messages that answer one message of the user: usually one, and one
 * more after each message that another client sent meanwhile.
 *
 * @param take - Takes the chunks.
 */
export function answerWriter({ source, approvalId, key, begun }: Shown, take: (chunk: AcpChunk) => void) {
  const credit = createCredit();
  const send = (chunk: AcpChunk) => {
    credit.spend(JSON.stringify(chunk).length);
    take(chunk);
  };
  const known = new WeakSet<object>();
  /** The messages, by their ids, and which one is being written. */
  const writers = new Map<string, MessageWriter>();
  let current = '';
  let writer: MessageWriter | undefined;
  /** Whether there is more than what the reader has. */
  let isBehind = true;

  /**
   * Completes the messages before the last one, and begins that one if there is something in it. Returns its sections.
   *
   * @param start - The first message that may have changed.
   */
  const open = (
    conversation: Conversation,
    exchanges: readonly Exchange[],
    start: number,
  ): readonly Section[] | undefined => {
    let last: readonly Section[] | undefined;
    for (const [index, exchange] of exchanges.slice(start).entries()) {
      const id = answerId(exchange.question);
      const isLast = start + index === exchanges.length - 1;
      const sections = sectionsOf(conversation, exchange, isLast);
      const written = writers.get(id);
      if (sections.length === 0 && !written) continue;
      if (isLast) last = sections;
      else if (written?.has(sections)) continue;
      if (current !== id) begin(id);
      if (!isLast) writer?.finish(sections);
    }
    return last;
  };

  const begin = (id: string) => {
    send({ type: 'start', messageId: id });
    // A reader that goes on with a message, or with the one before, has parts that this message begins without.
    send({ type: 'reset-step' });
    current = id;
    writer = messageWriter(send);
    writers.set(id, writer);
  };

  const sectionsOf = (
    conversation: Conversation,
    exchange: Exchange,
    isLast: boolean,
  ): readonly Section[] => {
    const sections = answerSections(conversation, exchange, approvalId);
    if (!isLast) return sections;
    // Requests that are not about a tool call of the conversation.
    const questions = source.questions().filter(({ toolCallKey }) => toolCallKey === null);
    sections.push(...questions.map(questionSection));
    return sections.length > 0 ? [stateSection(conversation), ...sections] : sections;
  };

  const exchangesIn = (conversation: Conversation): readonly Exchange[] => {
    const exchanges = exchangesFrom(conversation, key());
    // The next prompt has a stream of its own.
    const next = exchanges.findIndex(
      ({ question }, index) => index > 0 && question?.key.startsWith(promptKeyPrefix),
    );
    return next < 0 ? exchanges : exchanges.slice(0, next);
  };

  return {
    /** Takes a change. It is shown with the next `show`, apart from texts. */
    change(event: ConversationEvent | undefined) {
      if (event?.type === 'text' || event?.type === 'thought') {
        const { key, text, type } = event;
        credit.earn(eventBase + text.length);
        if (!isBehind && writer?.append(key, type === 'thought' ? type : 'agent', text)) return;
      } else credit.earn(event ? eventSize(event, known) : unseenSize);
      isBehind = true;
    },

    /** Lets the reader have the changes, if there is credit for them. */
    show() {
      if (!isBehind || !credit.isLeft()) return;
      const conversation = source.conversation();
      if (!conversation) return;
      const exchanges = exchangesIn(conversation);
      const start = exchanges.findIndex(({ question }) => answerId(question) === current);
      const last = open(conversation, exchanges, Math.max(start, 0));
      isBehind = !last;
      if (last) writer?.show(last);
    },

    /** Lets the reader have everything. Returns what the last message says of the end of the turn. */
    finish(): AcpMessageMetadata | undefined {
      const conversation = source.conversation();
      if (!conversation) return undefined;
      const exchanges = exchangesIn(conversation);
      const ids = exchanges.map(({ question }) => answerId(question));
      // What was written to a question that is gone is taken back: the agent only repeated another message.
      for (const id of writers.keys()) if (!ids.includes(id)) begin(id);
      const last = open(conversation, exchanges, 0);
      // A chat would answer the request that it still has again and again.
      if (!last && begun !== undefined) begin(begun);
      if (!last) return undefined;
      writer?.finish(last);
      return turnMetadata(conversation);
    },
  };
}
