import { promptKeyPrefix } from '../../client/session/prompt-keys.ts';
import type { Conversation, MessageEntry } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';
import type { ChatSource, SentPrompt } from '../chat-source.ts';
import { Credit } from '../credit.ts';
import { eventSize } from '../event-size.ts';
import { type Exchange, exchangesFrom } from '../exchanges.ts';
import type { AcpMessageMetadata } from './message-type.ts';
import { MessageWriter, type Section } from './message-writer.ts';
import { answerId } from './messages.ts';
import type { AcpChunk } from './part-chunks.ts';
import { answerSections, questionSection, stateSection } from './sections.ts';
import { turnMetadata } from './state-parts.ts';
import type { ToolContext } from './tool-parts.ts';

/** What a stream shows. */
export interface Shown extends SentPrompt {
  readonly source: ChatSource;
  readonly approvalId: ToolContext['approvalId'];
}

const roles = { text: 'agent', thought: 'thought' } as const satisfies Partial<
  Record<ConversationEvent['type'], MessageEntry['role']>
>;

/**
 * Turns a conversation into the chunks of the messages that answer one message of the user: usually one, and one more
 * after each message that somebody else sent meanwhile.
 */
export class AnswerWriter {
  readonly #shown: Shown;
  readonly #take: (chunk: AcpChunk) => void;
  readonly #credit = new Credit();
  readonly #known = new WeakSet<object>();
  /** The messages, by their ids, and which one is being written. */
  readonly #writers = new Map<string, MessageWriter>();
  #id = '';
  /** Whether there is more than what the reader has. */
  #isBehind = true;

  constructor(shown: Shown, take: (chunk: AcpChunk) => void) {
    this.#shown = shown;
    this.#take = take;
  }

  /** Takes a change. It is shown with the next {@link AnswerWriter.show}, apart from texts. */
  change(event: ConversationEvent | undefined): void {
    if (!event) this.#credit.earn(256);
    else {
      this.#credit.earn(eventSize(event, this.#known));
      if (event.type === 'text' || event.type === 'thought') {
        const { key, text, type } = event;
        if (!this.#isBehind && this.#writer?.append(key, roles[type], text)) return;
      }
    }
    this.#isBehind = true;
  }

  /** Lets the reader have the changes, as far as the credit covers it. */
  show(): void {
    if (!this.#isBehind || this.#writer?.isCovered === false) return;
    const { conversation, exchanges } = this.#now();
    const current = exchanges.findIndex(({ question }) => answerId(question) === this.#id);
    const last = this.#open(conversation, exchanges, Math.max(current, 0));
    this.#isBehind = !last || !this.#writer?.show(last);
  }

  /** Lets the reader have everything. Returns what the last message says of the end of the turn. */
  finish(): AcpMessageMetadata | undefined {
    const { conversation, exchanges } = this.#now();
    const ids = exchanges.map(({ question }) => answerId(question));
    // What was written to a question that is gone is taken back: the agent only repeated another message.
    for (const id of [...this.#writers.keys()]) if (!ids.includes(id)) this.#begin(id);
    const last = this.#open(conversation, exchanges, 0);
    if (!conversation || !last) return undefined;
    this.#writer?.finish(last);
    return turnMetadata(conversation);
  }

  /**
   * Completes the messages before the last one, and begins that one if there is something in it. Returns its sections.
   *
   * @param start - The first message that may have changed.
   */
  #open(
    conversation: Conversation | null,
    exchanges: readonly Exchange[],
    start: number,
  ): readonly Section[] | undefined {
    if (!conversation) return undefined;
    let last: readonly Section[] | undefined;
    for (const [index, exchange] of exchanges.slice(start).entries()) {
      const id = answerId(exchange.question);
      const isLast = start + index === exchanges.length - 1;
      const sections = this.#sections(conversation, exchange, isLast);
      const known = this.#writers.get(id);
      if (sections.length === 0 && !known) continue;
      if (isLast) last = sections;
      else if (known?.has(sections)) continue;
      if (this.#id !== id) this.#begin(id);
      if (!isLast) this.#writer?.finish(sections);
    }
    return last;
  }

  #begin(id: string): void {
    this.#take({ type: 'start', messageId: id });
    // A reader that goes on with a message, or with the one before, has parts that this message begins without.
    this.#take({ type: 'reset-step' });
    this.#id = id;
    this.#writers.set(id, new MessageWriter(this.#take, this.#credit));
  }

  get #writer(): MessageWriter | undefined {
    return this.#writers.get(this.#id);
  }

  #sections(conversation: Conversation, exchange: Exchange, isLast: boolean): readonly Section[] {
    const { approvalId, source } = this.#shown;
    const sections = answerSections(conversation, exchange, approvalId);
    if (!isLast) return sections;
    // Requests that are not about a tool call of the conversation.
    const questions = source.questions().filter(({ toolCallKey }) => toolCallKey === null);
    sections.push(...questions.map(questionSection));
    return sections.length > 0 ? [stateSection(conversation), ...sections] : sections;
  }

  #now(): { readonly conversation: Conversation | null; readonly exchanges: readonly Exchange[] } {
    const conversation = this.#shown.source.conversation();
    const key = this.#shown.key();
    const all = conversation ? exchangesFrom(conversation, key) : [];
    // The next prompt has a stream of its own.
    const next = all.findIndex(
      ({ question }, index) => index > 0 && question?.key.startsWith(promptKeyPrefix),
    );
    return { conversation, exchanges: next < 0 ? all : all.slice(0, next) };
  }
}
