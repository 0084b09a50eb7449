import type { Session } from '../../core/client/session/session.ts';
import type { PromptTurn } from '../../core/client/session/turn.ts';
import { sourceOfTurn } from '../../core/client/session/turn-source.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import type { Panel } from '../panel/connect.ts';
import { answerQuestion, type ChatQuestion, chatQuestions, onChatQuestions } from './ask-in-chat.ts';
import { lastQuestionKey } from './exchanges.ts';

/** A prompt that was sent. */
export interface SentPrompt {
  /** The key of its entry. `undefined` until the conversation has it. */
  key(): string | undefined;
  /** Settles when the turn ends. */
  readonly ended: Promise<{ readonly stopReason: string | null }>;
}

/** What a chat interface needs of a session, wherever the session runs. */
export interface ChatSource {
  /** The conversation now. `null`: none is shown. */
  conversation(): Conversation | null;
  /** The permission requests that wait for the user. */
  questions(): readonly ChatQuestion[];
  /** Calls `listener` after a change, with its event where the session runs here. */
  subscribe(listener: (event?: ConversationEvent) => void): () => void;
  /** Sends a prompt when nothing runs. Aborting the signal takes it back, or cancels its turn. */
  send(content: readonly ContentBlockInput[], signal: AbortSignal | undefined): SentPrompt;
  /** @param optionId - `null`: the request is answered `cancelled`. */
  answer(questionId: string, optionId: string | null): Promise<void>;
}

/** A session, or a panel that shows one. */
export type ChatSession = Session | Panel;

/** What a chat interface needs, of a session in this process, or of one that a panel shows. */
export function chatSource(session: ChatSession): ChatSource {
  return 'getSnapshot' in session ? panelSource(session) : sessionSource(session);
}

/** What a bridge needs of a session in this process. */
export function sessionSource(session: Session): ChatSource {
  return {
    conversation: () => session.conversation,
    questions: () => chatQuestions(session),
    subscribe(listener) {
      const stopEvents = session.onEvent(listener);
      const stopQuestions = onChatQuestions(session, () => listener());
      return () => {
        stopEvents();
        stopQuestions();
      };
    },
    send(content, signal) {
      return sentTurn(session.queue(content, { signal }));
    },
    async answer(questionId, optionId) {
      answerQuestion(session, questionId, optionId);
    },
  };
}

/** A turn of a session in this process. */
export function sentTurn(turn: PromptTurn): SentPrompt {
  return { key: () => sourceOfTurn(turn).key(), ended: turn };
}

function panelSource(panel: Panel): ChatSource {
  const conversation = () => panel.getSnapshot().conversation;
  return {
    conversation,
    questions: () =>
      panel
        .getSnapshot()
        .questions.filter((question) => question.kind === 'permission')
        .map((question) => ({
          ...question,
          toolCallKey: question.subagent === null ? question.toolCallKey : null,
        })),
    subscribe: (listener) => panel.subscribe(() => listener()),
    send(content, signal) {
      const before = lastQuestionKey(conversation());
      const key = () => {
        const last = lastQuestionKey(conversation());
        return last === before ? undefined : last;
      };
      signal?.addEventListener('abort', () => panel.cancel().catch(() => {}));
      return { key, ended: panel.queue(content) };
    },
    answer: (questionId, optionId) =>
      panel.answer(questionId, optionId === null ? { action: 'cancel' } : { optionId }),
  };
}

/** Whether no turn runs. */
export function isIdle(source: ChatSource): boolean {
  return (source.conversation()?.activity.state ?? 'idle') === 'idle';
}

/** Waits for the end of the turn that runs. Resolves at once if none does. */
export function followTurn(source: ChatSource): Promise<{ readonly stopReason: string | null }> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const check = () => {
      if (!isIdle(source)) return;
      unsubscribe();
      resolve({ stopReason: source.conversation()?.activity.stopReason ?? null });
    };
    unsubscribe = source.subscribe(check);
    check();
  });
}
