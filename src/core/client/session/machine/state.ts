import type { JsonObject } from '../../../base/json.ts';
import type { PendingMessage } from '../../../model/conversation.ts';
import type { SessionMcpServer } from '../../../model/mcp-server.ts';
import type { SystemPrompt } from '../../../model/opening.ts';
import type { PendingPermission } from '../../../model/permission.ts';
import type { BackgroundWork, TurnUsage } from '../../../model/session.ts';
import type { ToolCallProgress } from '../../../model/tool-call.ts';
import type { StateUpdate } from '../../../model/update.ts';
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
  readonly requires?: string | readonly string[];
  readonly _meta?: JsonObject;
}

/** An open prompt. */
export interface Turn {
  readonly key: string;
  /** The value of the session's clock when the prompt was sent last. */
  readonly sentAt: number;
  /** How often the prompt was sent. */
  readonly attempts: number;
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
  /** How the session lost its agent since the prompt was sent first. */
  readonly loss?: Loss;
}

/** How a session lost its agent. The runner keeps the error that rejects the turn if it does not go on. */
export interface Loss {
  /** What the transcript says, unless nothing was cut off. */
  readonly interruption: string;
  /** Whether the transcript says it. */
  readonly isShown: boolean;
}

/**
 * An open prompt whose agent has ended, or whose session was lost. What becomes of it is known when the session is open
 * again.
 */
export interface HeldTurn extends Turn {
  readonly loss: Loss;
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

/** What a failed load brings back. */
export interface BeforeLoad {
  readonly end: TurnEnd | null;
  /** The activity that the conversation shows. */
  readonly activity: StateUpdate | null;
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
 * Whether an update is history, such as a message or a tool call that the agent has sent before, and what happens to it:
 *
 * - `live`: it is news, and is folded
 * - `loading`: it is history, and is folded into a conversation that takes the place of the one before
 * - `loaded`: the history of a load is complete, and the agent has not answered the load. It is news
 * - `replay`: the call is answered, or began with an empty conversation. It is folded with the origin `replay`
 * - `collect`: it is folded into a conversation beside the shown one, which gets what is new in it with the answer
 * - `late`: as `collect`, after the answer. `unshown`: something has come that the shown conversation does not have yet
 * - `awaited`: as `late`, and the agent will say when the history is complete, which may come only with the next prompt.
 *   `arriving`: something of it has come
 * - `skip`: it is dropped, because it is the rest of a load that was abandoned
 */
export type History =
  | { readonly is: 'loading' | 'loaded'; readonly before: BeforeLoad }
  | {
      readonly is: 'live' | 'replay' | 'collect' | 'late' | 'unshown' | 'awaited' | 'arriving' | 'skip';
      readonly before?: undefined;
    };

export type HistoryState = History['is'];

/** Data that can be printed as JSON. */
export interface SessionState {
  readonly phase: 'opening' | 'open' | 'closing' | 'interrupted' | 'closed';
  /** How the session ended. */
  readonly closedBy?: SessionEnd['reason'];
  /** Whether the agent is being started again, also while the session is open there already. */
  readonly isDetached: boolean;
  /** The open prompts, oldest first. */
  readonly turns: readonly Turn[];
  /** The open prompts of a session that is being opened again, oldest first. */
  readonly held: readonly HeldTurn[];
  readonly requests: readonly PendingRequest[];
  /** The messages of the user that wait, oldest first. */
  readonly pending: readonly PendingMessage[];
  /** Whether the agent names a steered message in its answer: a report under another id is then about another one. */
  readonly isNaming: boolean;
  /** The messages that the agent had reported when it was sent the last steered message. */
  readonly reportedBefore: ReportedMessage | null;
  /** The keys of the entries of steered messages that the agent may still report. */
  readonly steered: readonly string[];
  readonly history: History;
  /** How far the replay has come that was requested last. */
  readonly replayed: 'underWay' | 'complete' | 'truncated' | null;
  /** Whether the user cancelled and the agent is not idle since: new requests are answered `cancelled`. */
  readonly isCancelling: boolean;
  /** The session's clock when the user cancelled last. */
  readonly cancelledAt: number;
  /** The state that the agent reported last. Agents of version 1 report none. */
  readonly reported: string;
  /** Whether the agent reports more than the ends of its turns: that it works, or its state when it opens a session. */
  readonly reportsWork: boolean;
  /** The last idle state that was an end, or in which the session was opened. `at`: when all work had last ended. */
  readonly reportedIdle: { readonly at: number; readonly end: TurnEnd } | null;
  /** What runs in the background, from the agent's last report. */
  readonly background: readonly BackgroundWork[];
  /** How far the editor's tools are, by the tool call. An agent can call a tool before it announces the tool call. */
  readonly toolProgress: readonly { readonly toolCallId: string; readonly progress: ToolCallProgress }[];
  /** `null`: no turn has ended yet, or since the load began that is under way. */
  readonly lastEnd: TurnEnd | null;
  /** When the newest of the prompts was sent that the agent has worked on to the end. */
  readonly latestDone: number;
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

/** The end of a turn of which nothing is known. */
export const noEnd: TurnEnd = { stopReason: null };

/** The state of a session that was just asked for. */
export function initialState(): SessionState {
  return {
    phase: 'opening',
    isDetached: false,
    turns: [],
    held: [],
    requests: [],
    pending: [],
    isNaming: false,
    reportedBefore: null,
    steered: [],
    history: { is: 'live' },
    replayed: null,
    isCancelling: false,
    cancelledAt: 0,
    reported: 'idle',
    reportsWork: false,
    reportedIdle: null,
    background: [],
    toolProgress: [],
    lastEnd: null,
    latestDone: 0,
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
  if (state.history.before) return 'replaying';
  if (phase === 'opening') return 'opening';
  if (state.requests.length > 0) return 'requires_action';
  return isAtWork(state) ? 'running' : 'idle';
}

/** The open prompt, also while it is held. */
export function turnOf({ turns, held }: SessionState, key: string): Turn | undefined {
  return [...turns, ...held].find((turn) => turn.key === key);
}

/** Whether the agent has answered the prompt, or reported its message. */
export function isNamed({ isAccepted, messageId }: Turn): boolean {
  return isAccepted || messageId !== null;
}

/** Whether the agent has shown that it has the prompt. */
export function hasArrived(turn: Turn): boolean {
  return isNamed(turn) || turn.hasBegun;
}

/** The user messages that the agent reports: which one is an open prompt, or a message that was steered. */

/** A linked list, because an agent may report many, and each transition makes a new state. */
export interface ReportedMessage {
  readonly messageId: string;
  readonly at: number;
  readonly earlier: ReportedMessage | null;
}

/** When the agent first reported a message, or `null`. */
export function firstReportOf(messageId: string | null, reported: ReportedMessage | null): number | null {
  let first: number | null = null;
  for (let report = reported; report; report = report.earlier) {
    if (report.messageId === messageId) first = report.at;
  }
  return first;
}
