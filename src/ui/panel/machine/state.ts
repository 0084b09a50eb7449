import type { SessionInfo } from '../../../core/model/session.ts';
import type { PanelAgentChoice, PanelProblem, PanelQuestion, PanelState } from '../state.ts';

/**
 * The life of a panel: what the host knows, which events change it, and what each change does.
 *
 * | phase          | the agent                                        | leaves it by                        |
 * | -------------- | ------------------------------------------------ | ----------------------------------- |
 * | `starting`     | is being started                                 | `described`, `start_failed`, `no_agent` |
 * | `open`         | answers                                          | `described`, `agent_ended`, `start` |
 * | `reconnecting` | ended by itself and is being started again       | `described`, `agent_ended`, `start` |
 * | `closed`       | is not running                                   | `start`                             |
 *
 * `stop` leads to `closed` from each phase.
 *
 * A start has a number, `run`: what an earlier run reports later changes nothing. After `close` the panel is over.
 *
 * `transition` (`transitions.ts`) is pure: it gives the next state and the effects, and performs none of them. The host
 * does (`host.ts`), and nothing else changes the state of a panel.
 */
export interface MachineState extends AgentDescription {
  /** Whether the panel was closed. */
  readonly isOver: boolean;
  /** The number of the start. 0: the agent was not started yet. */
  readonly run: number;
  /** What the agent listed last. */
  readonly listed: readonly SessionInfo[];
  /** The sessions of the workspace that have a transcript, the newest first. */
  readonly saved: readonly SessionInfo[];
  /** The sessions that are open at the agent, oldest first. */
  readonly open: readonly OpenSession[];
  /** The first line of the first prompt of each session that was open, by the id of the session. */
  readonly firstLines: ReadonlyMap<string, string>;
  readonly shown: ShownSession | null;
  readonly opening: Opening | null;
  /** How many updates of a history came. `null`: no history is being loaded. */
  readonly loadedUpdates: number | null;
  readonly questions: readonly PanelQuestion[];
  readonly login: PanelState['login'];
  readonly problem: PanelProblem | AgentEnd | null;
  /** Whether the shown session goes on with a turn that was cancelled. */
  readonly ignoresCancel: boolean;
  readonly draft: string;
  readonly agents: readonly PanelAgentChoice[];
}

/** What the connection says of the agent. */
export type AgentDescription = Pick<
  PanelState,
  'phase' | 'nextAttemptAt' | 'agent' | 'features' | 'authMethods'
>;

/** A session that the host shows. The machine compares it by identity: an id can be opened again. */
export interface ShownSession {
  readonly sessionId: string;
  readonly cwd: string;
  /** Why it can only be read. Absent if it can be continued. */
  readonly readOnly?: string;
}

export interface OpenSession extends SessionInfo {
  /** The first line of its first prompt. `null` while it has none. */
  readonly firstLine: string | null;
  readonly isClosed: boolean;
  /** Whether no turn runs. */
  readonly isIdle: boolean;
}

/** A session that is being created or opened. Another one takes its place. */
export interface Opening {
  readonly id: number;
  /** `null`: a new session. */
  readonly sessionId: string | null;
  /** The session that was shown before, which a failed opening brings back. */
  readonly before: ShownSession | null;
  /** Whether the memory named the session. */
  readonly isRemembered: boolean;
}

/** How the agent ended, and what follows from it. */
export interface AgentEnd {
  readonly reason: string;
  readonly detail: string | null;
  readonly code: string;
  readonly consequence: 'restarts' | 'restarted' | 'over';
}

/** What is known when the agent ends. */
export type EndReport = Omit<AgentEnd, 'consequence'>;

/** What failed. The log gets more than the user. */
interface Failure {
  readonly problem: PanelProblem;
  readonly forLog: PanelProblem;
}

export type PanelEvent =
  /** The agent is to be started, or to be ended and started again. */
  | { readonly type: 'start' }
  /** The run before has ended. `isRestoring`: a session will be opened. */
  | { readonly type: 'starting'; readonly run: number; readonly isRestoring: boolean }
  | ({ readonly type: 'start_failed'; readonly run: number } & Failure)
  /** Nothing is started, because the user has to choose an agent first. */
  | { readonly type: 'no_agent'; readonly run: number }
  | { readonly type: 'agents_listed'; readonly agents: readonly PanelAgentChoice[] }
  /** The next start is of another agent, which does not have the sessions of this one. */
  | { readonly type: 'agent_changed' }
  /** The connection is open, or its state changed. */
  | ({ readonly type: 'described'; readonly run: number } & AgentDescription)
  /** How the agent that is being restarted ended. */
  | { readonly type: 'agent_lost'; readonly run: number; readonly end: EndReport }
  | { readonly type: 'agent_ended'; readonly run: number; readonly end: EndReport }
  /** The user ends the agent, or its start. */
  | { readonly type: 'stop' }
  | { readonly type: 'close' }
  | { readonly type: 'listed'; readonly run: number; readonly sessions: readonly SessionInfo[] }
  | { readonly type: 'saved'; readonly sessions: readonly SessionInfo[] }
  | { readonly type: 'sessions_changed'; readonly open: readonly OpenSession[] }
  | ({ readonly type: 'open' } & Omit<Opening, 'before'>)
  /** Updates of a history arrived. */
  | {
      readonly type: 'progress';
      readonly id: number;
      readonly session: ShownSession;
      readonly updates: number;
    }
  | { readonly type: 'opened'; readonly id: number; readonly session: ShownSession }
  /** `isGone`: the agent does not have the session any more. */
  | { readonly type: 'open_failed'; readonly id: number; readonly isGone: boolean }
  /** The agent does not open the session any more. */
  | { readonly type: 'session_lost'; readonly session: ShownSession; readonly readOnly: ShownSession }
  | { readonly type: 'session_closed' | 'session_deleted'; readonly sessionId: string }
  | { readonly type: 'asked'; readonly question: PanelQuestion }
  /** The question has its outcome. */
  | { readonly type: 'settled'; readonly id: string }
  /** `null`: the login is over. */
  | { readonly type: 'login'; readonly login: PanelState['login'] }
  | { readonly type: 'cancel_ignored'; readonly sessionId: string }
  | { readonly type: 'draft'; readonly text: string }
  /** The text of a prompt that was refused. */
  | { readonly type: 'put_back'; readonly text: string }
  /** A page asks for an action. */
  | { readonly type: 'action' }
  /** `isTold`: the transcript tells it. */
  | ({ readonly type: 'failed'; readonly isTold: boolean } & Failure)
  | { readonly type: 'dismissed' };

export type PanelEffect =
  /** Ends the agent if it runs, and starts it. The session that is shown is opened again. */
  | { readonly type: 'start'; readonly run: number }
  | { readonly type: 'stop' }
  /** Gives up an opening. */
  | { readonly type: 'abandon'; readonly id: number }
  /** Follows another session, or none. */
  | { readonly type: 'follow'; readonly session: ShownSession | null }
  /** Keeps the session for the next start. */
  | { readonly type: 'remember'; readonly session: ShownSession | null }
  /** Settles a question without the user. */
  | { readonly type: 'withdraw'; readonly id: string }
  | { readonly type: 'report'; readonly problem: PanelProblem };

export const initialState: MachineState = {
  phase: 'starting',
  agent: null,
  features: {},
  authMethods: [],
  nextAttemptAt: null,
  isOver: false,
  run: 0,
  listed: [],
  saved: [],
  open: [],
  firstLines: new Map(),
  shown: null,
  opening: null,
  loadedUpdates: null,
  questions: [],
  login: null,
  problem: null,
  ignoresCancel: false,
  draft: '',
  agents: [],
};
