import { promptKeyPrefix } from '../../client/session/prompt-keys.ts';
import type { Conversation, MessageEntry } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';
import type { ChatQuestion } from '../ask-in-chat.ts';
import type { ChatSource, SentPrompt } from '../chat-source.ts';
import { Credit } from '../credit.ts';
import { eventSize } from '../event-size.ts';
import { type Exchange, exchangesFrom } from '../exchanges.ts';
import { entryParts } from './entry-parts.ts';
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
  /** The message that is being written, with its id. */
  #current: { readonly id: string; readonly writer: MessageWriter } | undefined;
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
        if (!this.#isBehind && this.#current?.writer.append(key, roles[type], text)) return;
      }
    }
    this.#isBehind = true;
  }

  /** Lets the reader have the changes, as far as the credit covers it. */
  show(): void {
    if (!this.#isBehind || this.#current?.writer.isCovered === false) return;
    const { conversation, exchanges } = this.#now();
    const last = exchanges.at(-1);
    if (!conversation || !last) return;
    this.#begin(conversation, exchanges);
    if (this.#current) this.#isBehind = !this.#current.writer.show(this.#sections(conversation, last));
  }

  /** Lets the reader have everything. */
  finish(): void {
    const { conversation, exchanges } = this.#now();
    const last = exchanges.at(-1);
    if (!conversation || !last) return;
    this.#begin(conversation, exchanges);
    this.#current?.writer.finish(this.#sections(conversation, last));
  }

  /** How the turn ended, for the last message. */
  metadata() {
    const conversation = this.#shown.source.conversation();
    return this.#current && conversation ? turnMetadata(conversation) : undefined;
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

  /** Begins the last message if that is not the one that is being written. The ones before it are then complete. */
  #begin(conversation: Conversation, exchanges: readonly Exchange[]): void {
    const { approvalId } = this.#shown;
    const first = exchanges.findIndex(({ question }) => answerId(question) === this.#current?.id);
    for (const [index, exchange] of exchanges.entries()) {
      const id = answerId(exchange.question);
      if (index < first || (index > first && this.#isEmpty(conversation, exchange))) continue;
      if (this.#current?.id !== id) {
        this.#take({ type: 'start', messageId: id });
        // A reader that goes on with a message, or with the one before, has parts that this message begins without.
        this.#take({ type: 'reset-step' });
        this.#current = { id, writer: new MessageWriter(this.#take, this.#credit) };
      }
      if (index === exchanges.length - 1) continue;
      this.#current.writer.finish(answerSections(conversation, exchange, approvalId));
    }
  }

  #isEmpty({ terminals }: Conversation, { answer }: Exchange): boolean {
    const context = { terminals, approvalId: this.#shown.approvalId };
    return (
      answer.every((entry) => entryParts(entry, context).length === 0) && this.#otherQuestions().length === 0
    );
  }

  #sections(conversation: Conversation, exchange: Exchange): readonly Section[] {
    const answer = answerSections(conversation, exchange, this.#shown.approvalId);
    const questions = this.#otherQuestions().map(questionSection);
    // A request that was all that the agent did leaves no message.
    if (answer.length + questions.length === 0) return [];
    return [stateSection(conversation), ...answer, ...questions];
  }

  /** The requests that are not about a tool call of the conversation. */
  #otherQuestions(): readonly ChatQuestion[] {
    return this.#shown.source.questions().filter(({ toolCallKey }) => toolCallKey === null);
  }
}
