import fc from 'fast-check';
import { expect } from 'vitest';
import { isOwnPrompt } from '../../src/core/client/session/prompt-keys.ts';
import { eventObserver } from '../../src/core/conversation/events.ts';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import { createSessionStore, type SessionStore } from '../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { macrotask } from '../../src/core/transport/macrotask.ts';
import { answerStream } from '../../src/ui/ai-sdk/answer-stream.ts';
import type { AcpUIMessage } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import type { AcpChunk } from '../../src/ui/ai-sdk/part-chunks.ts';
import { askAll } from '../../src/ui/ai-sdk/tool-parts.ts';
import type { ChatQuestion } from '../../src/ui/bridges/ask-in-chat.ts';
import type { ChatSource } from '../../src/ui/bridges/chat-source.ts';
import { anyUpdate } from './arbitrary-updates.ts';
import { answersTo, beforeNextPrompt, plain, readMessages } from './ui-messages.ts';

/** The message that begins the turn. */
const prompt: AnyUpdate = {
  sessionUpdate: 'prompt_submitted',
  key: 'prompt:9',
  content: [{ type: 'text', text: 'Begin.' }],
};

/** An update within a turn: what the user says is steered. */
const duringTurn = anyUpdate.map((update): AnyUpdate => {
  if (!('key' in update)) return update;
  const key = update.key.replace('prompt:', 'steer:');
  // A session does not give a message the id of another one.
  return 'messageId' in update ? { ...update, key, messageId: key } : { ...update, key };
});

/** Updates that arrive together, and updates before the turn. */
export const generatedTurn = fc.record({
  before: fc.array(anyUpdate, { maxLength: 10 }),
  during: fc.array(fc.array(duringTurn, { maxLength: 4 }), { maxLength: 20, size: 'max' }),
  startsAt: fc.nat(20),
});

export interface GeneratedTurn {
  readonly before: readonly AnyUpdate[];
  readonly during: readonly (readonly AnyUpdate[])[];
  /** How many updates that arrive together the stream is too late for. */
  readonly startsAt: number;
  readonly questions?: readonly ChatQuestion[];
  readonly begun?: string;
}

/** A session whose updates the test makes. As in a session, the events of an update come together after it. */
function sourceOf(store: SessionStore, questions: readonly ChatQuestion[]) {
  const listeners = new Set<(event?: ConversationEvent) => void>();
  let events: ConversationEvent[] = [];
  store.observe(eventObserver((event) => events.push(event)));
  const source: ChatSource = {
    conversation: store.getSnapshot,
    questions: () => questions,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: () => {
      throw new Error('The prompt is sent already.');
    },
    answer: () => Promise.resolve(),
  };
  const apply = (updates: readonly AnyUpdate[]) => {
    for (const update of updates) store.apply(update);
    const happened = events.filter((event) => !isOwnPrompt(event));
    events = [];
    for (const event of happened) for (const listener of listeners) listener(event);
  };
  return { source, apply };
}

const byId = (messages: readonly AcpUIMessage[]) =>
  Object.fromEntries(messages.map((message) => [message.id, message]));

/** Reads the stream of a turn. `read` also gets the end of the turn and, when it has ended, the conversation. */
export async function playTurn<Read>(
  { before, during, startsAt, questions = [], begun }: GeneratedTurn,
  read: (
    stream: ReadableStream<AcpChunk>,
    ended: Promise<unknown>,
    conversation: () => Conversation,
  ) => Promise<Read>,
): Promise<Read> {
  const store = createSessionStore(emptyConversation('s'), () => {});
  const { source, apply } = sourceOf(store, questions);
  apply([...before, prompt]);
  let end = () => {};
  const ended = new Promise<{ readonly stopReason: null }>((resolve) => {
    end = () => resolve({ stopReason: null });
  });
  const begin = () =>
    read(
      answerStream({ source, key: () => 'prompt:9', ended, approvalId: askAll, begun }),
      ended,
      store.getSnapshot,
    );
  const next = () => new Promise((resolve) => macrotask(() => resolve(undefined)));
  let reading: Promise<Read> | undefined;
  for (const [index, updates] of during.entries()) {
    if (index === startsAt) {
      reading = begin();
      await next();
    }
    apply(updates);
    await next();
  }
  reading ??= begin();
  end();
  return reading;
}

/** Checks the law for a generated turn: the stream and the finished conversation give the same messages. */
export async function checkGenerated(turn: GeneratedTurn): Promise<void> {
  await playTurn(turn, async (stream, _, conversation) => {
    const { messages, errors } = await readMessages(stream);
    expect(errors).toEqual([]);
    // A stream cannot take back a message whose entries were all removed.
    const written = messages.filter(({ parts }) => parts.length > 0);
    // The reader knows messages by their ids. A message can begin late, when an earlier one gets its first words.
    const expected = answersTo(toUIMessages(beforeNextPrompt(conversation(), 'prompt:9')), 'prompt:9');
    expect(byId(plain(written))).toEqual(byId(plain(expected)));
  });
}
