import { readUIMessageStream } from 'ai';
import { expect } from 'vitest';
import type { Session } from '../../src/core/client/session/session.ts';
import type { PromptTurn } from '../../src/core/client/session/turn.ts';
import { sourceOfTurn } from '../../src/core/client/session/turn-source.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { toUIMessageStream } from '../../src/ui/ai-sdk/answer-stream.ts';
import type { AcpUIMessage } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';

/** What AI SDK's reader builds from a stream: the last state of each message, and the errors. */
export async function readMessages(stream: Parameters<typeof readUIMessageStream>[0]['stream']) {
  const messages = new Map<string, AcpUIMessage>();
  const errors: string[] = [];
  const onError = (error: unknown) => {
    errors.push(error instanceof Error ? error.message : String(error));
  };
  for await (const message of readUIMessageStream<AcpUIMessage>({ stream, onError })) {
    messages.set(message.id, message);
  }
  return { messages: [...messages.values()], errors };
}

/** As they are after a way over the network. */
export const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** The messages that answer a prompt. */
export function answersTo(
  messages: readonly AcpUIMessage[],
  key: string | undefined,
): readonly AcpUIMessage[] {
  const start = messages.findIndex(({ id }) => id === key);
  return start < 0 ? [] : messages.slice(start + 1).filter(({ role }) => role === 'assistant');
}

/** The conversation without the prompt that follows, which the editor may have sent already. */
export function beforeNextPrompt(conversation: Conversation, key: string | undefined): Conversation {
  const { entries } = conversation;
  const start = entries.findIndex((entry) => entry.key === key);
  const end = entries.findIndex((entry, index) => index > start && entry.key.startsWith('prompt:'));
  return end < 0 ? conversation : { ...conversation, entries: entries.slice(0, end) };
}

/**
 * Checks the law: what the reader builds from the stream of a turn is what `toUIMessages` makes of the conversation at
 * the end of the turn. Returns the number of parts.
 */
export async function checkLaw(session: Session, turn: PromptTurn): Promise<number> {
  const stream = toUIMessageStream(turn);
  const reading = readMessages(stream);
  let failure: unknown;
  const conversation = await turn.then(
    () => session.conversation,
    (error: unknown) => {
      failure = error;
      return session.conversation;
    },
  );
  const { messages, errors } = await reading;
  expect(errors).toEqual(failure === undefined ? [] : [(failure as Error).message]);
  const key = sourceOfTurn(turn)?.key();
  const expected = answersTo(toUIMessages(beforeNextPrompt(conversation, key)), key);
  expect(plain(messages)).toEqual(plain(expected));
  return messages.reduce((sum, { parts }) => sum + parts.length, 0);
}
