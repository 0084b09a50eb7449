import type { AnyUpdate, ClientTerminalUpdate } from '../../../model/client-update.ts';
import type { ContentBlock } from '../../../model/content.ts';
import type { Conversation } from '../../../model/conversation.ts';
import type { OpenedSession, PromptAnswer } from '../../../model/opening.ts';
import type { ToolCallProgress } from '../../../model/tool-call.ts';
import type { SessionEnd } from './session-end.ts';
import type { AgentFailure, CancelReason, PendingRequest } from './state.ts';

/**
 * What can happen to a session. An event is data: the runner keeps what its effects call, by the id that an event has.
 */
export type SessionEvent =
  /** A call that opens the session again is sent. Its replay takes the place of the conversation. */
  | { readonly type: 'reopen'; readonly mode: 'replace' }
  /** A call that opens the session again is sent. What the conversation shows stays. */
  | {
      readonly type: 'reopen';
      readonly mode: 'keep';
      readonly isReplayed?: boolean;
      readonly shown: Conversation;
      /** A conversation that the editor saved, to be shown instead. */
      readonly saved?: Conversation;
    }
  /** The agent answered the call that opens the session. */
  | {
      readonly type: 'opened';
      readonly opened: OpenedSession;
      readonly mayReplayOn: boolean;
      /** Whether the history comes with the next prompt: none has come, and the agent says when it is complete. */
      readonly isHistoryDue?: boolean;
      /** The conversation that came before the answer, if it takes the place of the one before. */
      readonly replayed?: Conversation;
    }
  /** The call failed. `isAbandoned`: it was sent and given up, so that the agent may still be replaying. */
  | { readonly type: 'reopen_failed'; readonly isAbandoned: boolean; readonly replayed?: Conversation }
  /** The agent has sent nothing for a while: what it replays is complete. */
  | { readonly type: 'quiet' }
  /** The agent answered a call that had been abandoned. */
  | { readonly type: 'late_answer' }
  | { readonly type: 'update'; readonly update: AnyUpdate }
  /** The agent works, which no update of the session says: it called the client or a tool, or began a subagent. */
  | { readonly type: 'worked'; readonly about: object }
  /** A change that the client made, as the answer to a call. */
  | { readonly type: 'changed'; readonly update: AnyUpdate }
  /** How far a tool of the editor is in a tool call; `null` when its call has ended. */
  | {
      readonly type: 'tool_progress';
      readonly toolCallId: string;
      readonly progress: ToolCallProgress | null;
    }
  /** A change of a terminal that the client runs. */
  | { readonly type: 'terminal'; readonly update: ClientTerminalUpdate }
  /** `queued`: the id of the message that waited until now. */
  | {
      readonly type: 'prompt';
      readonly key: string;
      readonly content: readonly ContentBlock[];
      readonly queued?: string;
    }
  /** A message is to be sent as a prompt when nothing runs. It can be one that was to be steered. */
  | { readonly type: 'queued'; readonly id: string; readonly content: readonly ContentBlock[] }
  /** A message is to be sent for the running turn. */
  | {
      readonly type: 'steered';
      readonly id: string;
      readonly content: readonly ContentBlock[];
      /** Whether the answer names the message. */
      readonly isNaming: boolean;
    }
  /**
   * The agent has a steered message. `messageId`: under which it will report the message, if it said that, and if no
   * other message of the user has this id.
   */
  | { readonly type: 'steer_accepted'; readonly id: string; readonly messageId: string | null }
  /** The agent says that a steered message is part of the conversation. */
  | { readonly type: 'delivered'; readonly id: string }
  /** A message does not wait any more: the user took it back, or the agent did not take it. */
  | { readonly type: 'revoked'; readonly id: string }
  /** `known`: the conversation had the message that the answer names before the prompt was sent, and maybe an answer. */
  | {
      readonly type: 'prompt_answered';
      readonly key: string;
      readonly answer: PromptAnswer;
      readonly known?: 'answered' | 'unanswered';
    }
  /**
   * `failure` is absent where the agent did not answer with an error. `isKept`: the prompt stays in the conversation.
   */
  | {
      readonly type: 'prompt_failed';
      readonly key: string;
      readonly error: unknown;
      readonly failure: AgentFailure | undefined;
      readonly isKept: boolean;
    }
  /** The caller aborted an open prompt. */
  | { readonly type: 'prompt_abandoned'; readonly key: string; readonly reason: unknown }
  | { readonly type: 'request'; readonly request: PendingRequest }
  | { readonly type: 'request_answered'; readonly id: string }
  /** `closed`: the agent has ended. */
  | {
      readonly type: 'request_withdrawn';
      readonly id: string;
      readonly reason: Extract<CancelReason, 'withdrawn' | 'closed'>;
    }
  /** The user cancels. `id`: of what sends the cancellation. */
  | { readonly type: 'cancel'; readonly id: string }
  /** The editor closes the connection: what waits for the user is answered. */
  | { readonly type: 'cancel_requests' }
  /** The editor closes the session. `id`: of what sends that. */
  | { readonly type: 'close'; readonly id: string }
  | { readonly type: 'close_failed' }
  /** The session is over. `error` rejects the open turns; without it they end as cancelled. */
  | {
      readonly type: 'closed';
      readonly end: SessionEnd;
      readonly error?: unknown;
      readonly interruption?: string;
    }
  /**
   * The agent's process ended, and a new one is being started. `holds`: open prompts of version 2 wait until the session is
   * open again.
   */
  | {
      readonly type: 'link_lost';
      readonly error: unknown;
      readonly interruption: string;
      readonly holds?: boolean;
    }
  /**
   * The agent runs again, with all its sessions. `hasWorkedOn`: it may have gone on working meanwhile, because only the
   * network was cut. `mayResend`: a prompt that it may not have can be sent again.
   */
  | { readonly type: 'link_restored'; readonly hasWorkedOn?: boolean; readonly mayResend?: boolean }
  | { readonly type: 'stalled' };

/** The event of one type. */
export type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>;
