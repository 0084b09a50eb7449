import type { ChatTransport } from 'ai';
import { isJsonObject } from '../../core/base/json.ts';
import { answerAll, type ChatAnswer, choicesOf } from '../bridges/chat-answers.ts';
import { type ChatSession, chatSource, followTurn, type SentPrompt } from '../bridges/chat-source.ts';
import { lastQuestionKey } from '../bridges/exchanges.ts';
import { answerStream } from './answer-stream.ts';
import type { Shown } from './answer-writer.ts';
import type { AcpPart, AcpUIMessage } from './message-type.ts';
import type { AcpChunk } from './part-chunks.ts';
import { promptContent } from './prompt-content.ts';

type SendOptions = Parameters<ChatTransport<AcpUIMessage>['sendMessages']>[0];

/**
 * The transport with which AI SDK's `useChat` shows a session: one in this process, or the one that a panel shows
 * (`connectPanel`). For `useChat` in a page and the session on a server, call its functions in a handler of HTTP.
 *
 * - A message is sent as a prompt when nothing runs. `stop` cancels its turn.
 * - When the agent asks for a permission, the stream ends and the tool part has the state `approval-requested`. The part
 *   `data-toolCall` has all options. `addToolApprovalResponse` with `reason: optionId` names one. Without a `reason`, a
 *   yes or a no means this once, and never always. Pass {@link answeredApprovals} as `sendAutomaticallyWhen`, and
 *   {@link askInChat} as the handler of the connection.
 * - `reconnectToStream` shows the turn that runs, or the one that ran last, from its begin: the page can have less of it.
 *   `stop` then only stops reading.
 *
 * The agent owns its history: it gets the new message only, and a message cannot be sent again (`regenerate`).
 *
 * @example
 * ```ts
 * const chat = useChat({
 *   messages: toUIMessages(session.conversation),
 *   transport: chatTransport(session),
 *   sendAutomaticallyWhen: answeredApprovals,
 * });
 * ```
 */
export function chatTransport(session: ChatSession): ChatTransport<AcpUIMessage> {
  const source = chatSource(session);
  const approvalId: Shown['approvalId'] = (entry) =>
    source.questions().find(({ toolCallKey }) => toolCallKey === entry.key)?.id;
  const isPaused = () => source.questions().length > 0;
  const show = (prompt: SentPrompt & Pick<Shown, 'begun'>) =>
    answerStream({ source, ...prompt, approvalId }, isPaused);
  const answer = async ({ parts }: AcpUIMessage) =>
    answerAll(source, choicesOf(source, parts.flatMap(chatAnswers)));
  /** The turn that runs, or that ran last. */
  const showLast = (ended: SentPrompt['ended'], begun?: string) => {
    const key = lastQuestionKey(source.conversation());
    return show({ key: () => key, ended, begun });
  };

  return {
    resumeStreamIsReplay: true,
    async sendMessages(options): Promise<ReadableStream<AcpChunk>> {
      const message = sentMessage(options);
      if (message.role === 'assistant') {
        const answered = answer(message);
        // The user can stop while the answer is on its way.
        options.abortSignal?.addEventListener('abort', () => session.cancel().catch(() => {}));
        await answered.catch(() => {});
        // The chat takes one answer to what it has: a request that stays open is shown again, before the error.
        const ended = answered.then(() => followTurn(source));
        return showLast(ended, message.id);
      }
      if (isPaused()) {
        throw new Error('The agent waits for an answer. Nothing was sent. Answer first, or cancel.');
      }
      return show(source.send(promptContent(message), options.abortSignal));
    },
    async reconnectToStream() {
      return lastQuestionKey(source.conversation()) === undefined ? null : showLast(followTurn(source));
    },
  };
}

/**
 * Whether the user has answered all permission requests of the last message: for the option `sendAutomaticallyWhen` of
 * `useChat`. AI SDK's own function waits until the other tools of the message have ended, and an agent can run them
 * while it asks.
 */
export function answeredApprovals({ messages }: { readonly messages: readonly AcpUIMessage[] }): boolean {
  const parts = messages.at(-1)?.parts ?? [];
  const has = (state: string) => parts.some((part) => part.type === 'dynamic-tool' && part.state === state);
  return has('approval-responded') && !has('approval-requested');
}

function sentMessage({ trigger, messages, messageId }: SendOptions): AcpUIMessage {
  const message = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!message || trigger !== 'submit-message' || (message.role === 'user' && messageId !== undefined)) {
    throw new Error(
      'The agent keeps its history: no message is answered again. Nothing was sent. Send a new one.',
    );
  }
  // A client of HTTP can send anything.
  const { role, parts } = message;
  const isReadable = Array.isArray(parts) && parts.every(isJsonObject);
  if (isReadable && (role === 'user' || role === 'assistant')) return message;
  throw new Error(
    'The last message is not one of the user or the assistant, with parts. Nothing was sent. Send the messages of AI SDK.',
  );
}

function chatAnswers(part: AcpPart): readonly ChatAnswer[] {
  if (part.type !== 'dynamic-tool' || part.state !== 'approval-responded') return [];
  const { id, approved, reason: optionId }: Partial<typeof part.approval> = Object(part.approval);
  return [{ id, approved, optionId }];
}
