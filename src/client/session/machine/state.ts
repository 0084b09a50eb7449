import type { JsonObject } from '../../../base/json.ts';
import type { AnyUpdate, ClientTerminalUpdate } from '../../../model/client-update.ts';
import type { ContentBlock } from '../../../model/content.ts';
import type { Conversation, PendingMessage } from '../../../model/conversation.ts';
import type { SessionMcpServer } from '../../../model/mcp-server.ts';
import type { OpenedSession, PromptAnswer, SystemPrompt } from '../../../model/opening.ts';
import type { PendingPermission } from '../../../model/permission.ts';
import type { BackgroundWork, TurnUsage } from '../../../model/session.ts';
import type { ToolCallProgress } from '../../../model/tool-call.ts';
import type { StateUpdate } from '../../../model/update.ts';
import type { ReportedMessage } from './reported-messages.ts';
import type { SessionEnd } from './session-end.ts';

/**
 * The life of one session: which states it has, which events change them, and what each change does.
 *
 * | status            | the session                                            | leaves it by                        |
 * | ----------------- | ------------------------------------------------------ | ----------------------------------- |
 * | `opening`         | was asked for and is not answered yet                  | `opened`, `closed`                  |
 * | `replaying`       | is being loaded: what arrives is history               | `opened`, `reopen_failed`, `close`  |
 * | `idle`            | waits for a prompt                                     | `prompt`, `reopen`, `close`         |
 * | `running`         | has an open turn                                       | the end of the last turn            |
 * | `requires_action` | has a request from the agent that waits for the user     | the answer to the last request      |
 * | `closing`         | is being closed, and the agent has not answered yet     | `closed`, `close_failed`            |
 * | `interrupted`     | lost its agent, and a new process is being started     | `opened`, `closed`                  |
 * | `closed`          | is over                                                | nothing                             |
 *
 * `transition` (`transitions.ts`) is pure: it gives the next state and the effects, and performs none of them. The
 * runner does (`runner.ts`), and nothing else changes the state of a session. Time is an event (`stalled`), not a
 * clock.
 */

/** The status of a session, derived from its state. */
export type SessionStatus =
  | Exclude<SessionState['phase'], 'open'>
  | 'replaying'
  | 'idle'
  | 'running'
  | 'requires_action';

/** What a session was opened with: what is needed to open it again. */
export interface SessionSetup {
  readonly cwd: string;
  readonly mcpServers?: readonly SessionMcpServer[];
  readonly additionalDirectories?: readonly string[];
  readonly systemPrompt?: SystemPrompt;
  readonly _meta?: JsonObject;
}

/** An open prompt. */
export interface Turn {
  readonly key: string;
  /** The value of the session's clock when the prompt was sent. */
  readonly sentAt: number;
  /** Whether the agent answered the prompt. */
  readonly isAccepted: boolean;
  /** The id of the prompt's message, from the answer or from the agent's report of the message. */
  readonly messageId: string | null;
  /** Whether the agent worked since it accepted the prompt, or since it was sent while no older prompt was open. */
  readonly hasBegun: boolean;
  /** Whether the agent was silent for a while since the prompt was sent. */
  readonly isStalled: boolean;
  /** Whether the caller's promise is settled: the caller aborted, and the agent has not ended the turn yet. */
  readonly isAbandoned: boolean;
  /** The `_meta` of the answer to the prompt. */
  readonly meta: JsonObject | null;
}

/** A request from the agent that waits for the user. */
export interface PendingRequest {
  readonly id: string;
  readonly kind: 'permission' | 'elicitation';
  readonly toolCallId: string | null;
  /** What the conversation shows of it. `null` for a form. */
  readonly permission: PendingPermission | null;
  /** How many calls with this id have their answer and have not ended. Counted while it waits. Default: 0. */
  readonly running?: number;
}

/** A load that is under way. */
interface Replay {
  readonly previousEnd: TurnEnd;
  /** The activity that the conversation before the load shows, which a failed load brings back. */
  readonly activity: StateUpdate | null;
  /** Gives up the load. */
  readonly abandon: () => void;
  /** Called after each update that arrives before the answer. */
  readonly onReplayed: (() => void) | undefined;
}

/** How the last turn ended. */
export interface TurnEnd {
  readonly stopReason: string | null;
  readonly error?: JsonObject;
  readonly usage?: TurnUsage;
  /** The `_meta` of the idle state that ended the turn. */
  readonly _meta?: JsonObject;
}

/**
 * What happens to updates that carry history, such as messages and tool calls:
 *
 * - `live`: they are folded
 * - `replay`: they are folded, with the origin `replay`
 * - `collect`: they are folded into a conversation beside the shown one, which gets what is new in it with the answer
 * - `late`: as `collect`, after the answer. `unshown`: something has come that the shown conversation does not have yet
 * - `awaited`: as `late`, and the agent will say when the history is complete, which may come only with the next prompt.
 *   `arriving`: something of it has come
 * - `skip`: they are dropped, because they are the rest of a load that was abandoned
 */
export type HistoryTarget =
  | 'live'
  | 'replay'
  | 'collect'
  | 'late'
  | 'unshown'
  | 'awaited'
  | 'arriving'
  | 'skip';

export interface SessionState {
  readonly setup: SessionSetup;
  readonly phase: 'opening' | 'open' | 'closing' | 'interrupted' | 'closed';
  /** Whether the agent is being started again, also while the session is open there already. */
  readonly isDetached: boolean;
  /** The open prompts, oldest first. */
  readonly turns: readonly Turn[];
  readonly requests: readonly PendingRequest[];
  /** The messages of the user that wait, oldest first. */
  readonly pending: readonly PendingMessage[];
  /** Whether the agent names a steered message in its answer: a report under another id is then about another one. */
  readonly isNaming: boolean;
  /** The messages that the agent had reported when it was sent the last steered message. */
  readonly reportedBefore: ReportedMessage | null;
  /** The keys of the entries of steered messages that the agent may still report. */
  readonly steered: readonly string[];
  readonly replay: Replay | null;
  /** How far the replay has come that was requested last. */
  readonly replayed: 'underWay' | 'complete' | 'truncated' | null;
  readonly historyTarget: HistoryTarget;
  /** Whether the user cancelled and the agent is not idle since: new requests are answered `cancelled`. */
  readonly isCancelling: boolean;
  /** The state that the agent reported last. Agents of version 1 report none. */
  readonly reported: string;
  /** Whether the agent reports more than the ends of its turns: that it works, or its state when it opens a session. */
  readonly reportsWork: boolean;
  /** The last idle state that was an end, or in which the session was opened. `at`: when all work had last ended. */
  readonly reportedIdle: { readonly at: number; readonly end: TurnEnd } | null;
  /** What runs in the background, from the agent's last report. */
  readonly background: readonly BackgroundWork[];
  /** How far the editor's tools are, by the tool call. An agent can call a tool before it announces the tool call. */
  readonly toolProgress: ReadonlyMap<string, ToolCallProgress>;
  readonly lastEnd: TurnEnd;
  /** The user messages that the agent reported since the first open prompt, newest first. */
  readonly reportedMessages: ReportedMessage | null;
  /** Counts the updates that matter here, so that their order is known. */
  readonly clock: number;
  /** The activity that the conversation shows, where it follows from the open prompts and requests. */
  readonly shownActivity: StateUpdate | null;
}

/** What ends a turn: the answer to the prompt (version 1), or an idle state (version 2). From the dialect. */
export type TurnRules = 'response' | 'state_update';

/** Why a request from the agent is answered without the user. */
export type CancelReason = 'cancelled' | 'finished' | 'withdrawn' | 'closed';

/** An error that the agent answered or reported. */
export interface AgentFailure {
  readonly code: number;
  readonly message: string;
  /** The agent's words alone, where `message` has more. */
  readonly reason?: string;
  readonly data?: unknown;
}

export type SessionEvent =
  /** A call that opens the session again is sent. Its replay takes the place of the conversation. */
  | ({ readonly type: 'reopen'; readonly mode: 'replace' } & Pick<Replay, 'abandon' | 'onReplayed'>)
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
      readonly setup: SessionSetup;
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
  /** The agent says that the history is complete which it sent last. */
  | { readonly type: 'replay_told' }
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
      readonly send: () => void;
    }
  /** A message is to be sent as a prompt when nothing runs. It can be one that was to be steered. */
  | { readonly type: 'queued'; readonly id: string; readonly content: readonly ContentBlock[] }
  /** A message is to be sent for the running turn. Either function is called: `skip` if the session is over. */
  | {
      readonly type: 'steered';
      readonly id: string;
      readonly content: readonly ContentBlock[];
      /** Whether the answer names the message. */
      readonly isNaming: boolean;
      readonly send: () => void;
      readonly skip: () => void;
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
  | { readonly type: 'prompt_answered'; readonly key: string; readonly answer: PromptAnswer }
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
  /** The caller aborted an open prompt. `cancel` is called if its turn has not ended. */
  | {
      readonly type: 'prompt_abandoned';
      readonly key: string;
      readonly reason: unknown;
      readonly cancel: () => void;
    }
  | { readonly type: 'request'; readonly request: PendingRequest }
  | { readonly type: 'request_answered'; readonly id: string }
  /** `closed`: the agent has ended. */
  | {
      readonly type: 'request_withdrawn';
      readonly id: string;
      readonly reason: Extract<CancelReason, 'withdrawn' | 'closed'>;
    }
  /** Either function is called: `skip` if there is nothing to cancel, because the session is not open. */
  | { readonly type: 'cancel'; readonly send: () => void; readonly skip: () => void }
  /** The editor closes the connection: what waits for the user is answered. */
  | { readonly type: 'cancel_requests' }
  | { readonly type: 'close'; readonly send: () => void }
  | { readonly type: 'close_failed' }
  /** The session is over. `error` rejects the open turns; without it they end as cancelled. */
  | {
      readonly type: 'closed';
      readonly end: SessionEnd;
      readonly error?: unknown;
      readonly interruption?: string;
    }
  /** The agent's process ended, and a new one is being started. */
  | { readonly type: 'link_lost'; readonly error: unknown; readonly interruption: string }
  /** The agent runs again, with all its sessions. */
  | { readonly type: 'link_restored' }
  | { readonly type: 'stalled' };

/** The event of one type. */
export type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>;

/** How a turn ends for its caller. */
export type TurnOutcome =
  | { readonly result: TurnEnd & { readonly messageId: string | null; readonly _meta?: JsonObject } }
  /** The agent failed while it worked on the prompt, which it had accepted. */
  | { readonly failure: AgentFailure }
  /** `acceptance` is what is known of the prompt where the connection ended. */
  | { readonly error: unknown; readonly acceptance?: 'accepted' | 'begun' | 'unknown' | 'queued' };

/**
 * What happens to the conversations of a session:
 *
 * - `beginReplay`: an empty conversation is shown, and the one before is kept. It gets what is not history as well
 * - `restore`: the kept conversation is shown again. What was collected is not known without the replay
 * - `release`: the kept conversation is forgotten
 * - `beginCollecting`: what is shown from now on is not part of the history that will be collected
 * - `merge`: what is new in the collected conversation is added to the shown one
 * - `mergeTurn`: the same, where the collected conversation has the answer of the turn too
 * - `discard`: the collected conversation is forgotten
 */
export type StoreChange =
  | 'beginReplay'
  | 'restore'
  | 'release'
  | 'beginCollecting'
  | 'merge'
  | 'mergeTurn'
  | 'discard';

export type SessionEffect =
  | { readonly type: 'fold'; readonly update: AnyUpdate }
  /** Folds history, as the history target says. */
  | { readonly type: 'fold_history'; readonly update: AnyUpdate }
  | { readonly type: 'stores'; readonly change: StoreChange }
  /** Shows a conversation that the editor saved. */
  | { readonly type: 'reset'; readonly conversation: Conversation }
  /** Calls a function of the event. */
  | { readonly type: 'call'; readonly call: () => void }
  | {
      readonly type: 'accept';
      readonly key: string;
      readonly messageId: string | null;
      /** The `_meta` of the answer to the prompt. */
      readonly meta: JsonObject | null;
    }
  | { readonly type: 'settle'; readonly key: string; readonly outcome: TurnOutcome }
  /** Sends a message of the queue as a prompt. */
  | { readonly type: 'send_queued'; readonly id: string }
  /** Asks the user. */
  | { readonly type: 'ask'; readonly id: string }
  /** Ends a request: with what its handler returned, or without it for a reason. */
  | { readonly type: 'answer'; readonly id: string; readonly reason: CancelReason | 'handled' }
  /** The session is over: what waits for its end gets the reason. */
  | { readonly type: 'end'; readonly end: SessionEnd }
  /** `isSteered`: messages were steered into the turn. */
  | { readonly type: 'report_stall'; readonly isSteered: boolean };

/** The end of a turn of which nothing is known. */
export const noEnd: TurnEnd = { stopReason: null };

/** The state of a session that was just asked for. */
export function initialState(setup: SessionSetup): SessionState {
  return {
    setup,
    phase: 'opening',
    isDetached: false,
    turns: [],
    requests: [],
    pending: [],
    isNaming: false,
    reportedBefore: null,
    steered: [],
    replay: null,
    replayed: null,
    historyTarget: 'live',
    isCancelling: false,
    reported: 'idle',
    reportsWork: false,
    reportedIdle: null,
    background: [],
    toolProgress: new Map(),
    lastEnd: noEnd,
    reportedMessages: null,
    clock: 0,
    shownActivity: null,
  };
}

/** Whether the agent works on something, so that a prompt has to wait and a message can be steered. */
export function isAtWork({ turns, reported }: SessionState): boolean {
  return turns.length > 0 || reported !== 'idle';
}

/** The status of a session in one word. */
export function statusOf(state: SessionState): SessionStatus {
  const { phase } = state;
  if (phase === 'closed' || phase === 'closing' || phase === 'interrupted') return phase;
  if (state.replay) return 'replaying';
  if (phase === 'opening') return 'opening';
  if (state.requests.length > 0) return 'requires_action';
  return isAtWork(state) ? 'running' : 'idle';
}
