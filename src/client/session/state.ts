import type { JsonObject, JsonValue } from '../../json.ts';
import type { ContentBlock } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { PendingPermission } from '../../model/permission.ts';
import type { TurnUsage } from '../../model/session.ts';
import type { ConversationUpdate, StateUpdate } from '../../model/update.ts';
import type { OpenedSession, PromptAnswer } from '../../protocol/calls.ts';

/**
 * The life of one session: which states it has, which events change them, and what each change does.
 *
 * | status            | the session                                            | leaves it by                        |
 * | ----------------- | ------------------------------------------------------ | ----------------------------------- |
 * | `opening`         | was asked for and is not answered yet                  | `opened`, `closed`                  |
 * | `replaying`       | is being loaded: what arrives is history               | `opened`, `reopen_failed`, `close`  |
 * | `idle`            | waits for a prompt                                     | `prompt`, `reopen`, `close`         |
 * | `running`         | has an open turn                                       | the end of the last turn            |
 * | `requires_action` | has a request of the agent that waits for the user     | the answer to the last request      |
 * | `closing`         | is being closed, and the agent has not answered yet     | `closed`, `close_failed`            |
 * | `interrupted`     | lost its agent, and a new process is being started     | `opened`, `closed`                  |
 * | `closed`          | is over                                                | nothing                             |
 *
 * {@link transition} is pure: it gives the next state and the effects, and performs none of them. The runner does
 * (`runner.ts`), and nothing else changes the state of a session. Time is an event (`stalled`), not a clock.
 */

/** The status of a session, derived from its state. */
export type SessionStatus =
  | 'opening'
  | 'replaying'
  | 'idle'
  | 'running'
  | 'requires_action'
  | 'closing'
  | 'interrupted'
  | 'closed';

/** An open prompt. */
export interface Turn {
  readonly key: string;
  /** The value of the session's clock when the prompt was sent. */
  readonly sentAt: number;
  /** Whether the agent answered the prompt. */
  readonly isAccepted: boolean;
  /** The id of the prompt's message, from the answer or from the agent's report of the message. */
  readonly messageId: string | null;
  /** Whether the agent worked since the prompt was sent, and no other prompt was open. */
  readonly hasBegun: boolean;
  /** Whether the caller's promise is settled: the caller aborted, and the agent has not ended the turn yet. */
  readonly isAbandoned: boolean;
}

/** A request of the agent that waits for the user. */
export interface PendingRequest {
  readonly id: string;
  readonly kind: 'permission' | 'elicitation';
  readonly toolCallId: string | null;
}

/** A load that is under way. */
interface Replay {
  readonly previousEnd: TurnEnd;
  /** The activity that the conversation before the load shows, which a failed load brings back. */
  readonly activity: StateUpdate | null;
}

/** How the last turn ended. */
interface TurnEnd {
  readonly stopReason: string | null;
  readonly error?: JsonObject;
  readonly usage?: TurnUsage;
}

/** The last idle state that the agent reported. */
interface ReportedIdle extends TurnEnd {
  readonly at: number;
}

/** A linked list, because an agent may report many, and each transition makes a new state. */
interface ReportedMessage {
  readonly messageId: string;
  readonly at: number;
  readonly earlier: ReportedMessage | null;
}

/**
 * What happens to updates that carry history, such as messages and tool calls:
 *
 * - `live`: they are folded
 * - `replay`: they are folded, with the origin `replay`
 * - `collect`: they are folded into a conversation beside the shown one, which later gets what is new in it
 * - `skip`: they are dropped, because they are the rest of a load that was abandoned
 */
export type HistoryTarget = 'live' | 'replay' | 'collect' | 'skip';

export interface SessionState {
  readonly phase: 'opening' | 'open' | 'closing' | 'interrupted' | 'closed';
  /** The open prompts, oldest first. */
  readonly turns: readonly Turn[];
  readonly requests: readonly PendingRequest[];
  readonly replay: Replay | null;
  readonly historyTarget: HistoryTarget;
  /** Whether the user cancelled and the agent is not idle since: new requests are answered `cancelled`. */
  readonly isCancelling: boolean;
  /** The state that the agent reported last. Agents of version 1 report none. */
  readonly reported: string;
  readonly reportedIdle: ReportedIdle | null;
  /** The tool calls that go on in the background, as the agent reported them last. */
  readonly background: ReadonlySet<string>;
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

/** Why a request of the agent is answered without the user. */
export type CancelReason = 'cancelled' | 'superseded' | 'finished' | 'withdrawn' | 'closed';

/** An error that the agent answered or reported. */
export interface AgentFailure {
  readonly code: number;
  readonly message: string;
  /** The agent's words alone, where `message` has more. */
  readonly reason?: string;
  readonly data?: unknown;
}

export type SessionEvent =
  /** A call that opens the session again was sent. `replace`: its replay takes the place of the conversation. */
  | {
      readonly type: 'reopen';
      readonly mode: 'replace' | 'keep';
      readonly shown: Conversation;
      /** A conversation that the editor saved, to be shown instead. */
      readonly saved?: Conversation;
    }
  /** The agent answered the call that opens the session. */
  | { readonly type: 'opened'; readonly opened: OpenedSession; readonly mayReplayOn: boolean }
  /** The call failed. `isAbandoned`: it was sent and given up, so that the agent may still be replaying. */
  | { readonly type: 'reopen_failed'; readonly isAbandoned: boolean }
  /** The agent answered a call that had been abandoned. */
  | { readonly type: 'late_answer' }
  | { readonly type: 'update'; readonly update: ConversationUpdate }
  /** A change that the client made, as the answer to a call. */
  | { readonly type: 'changed'; readonly update: ConversationUpdate }
  | { readonly type: 'prompt'; readonly key: string; readonly content: readonly ContentBlock[] }
  | { readonly type: 'prompt_answered'; readonly key: string; readonly answer: PromptAnswer }
  /** `failure` is absent where the agent did not answer with an error. `isKept`: the prompt stays in the conversation. */
  | {
      readonly type: 'prompt_failed';
      readonly key: string;
      readonly error: unknown;
      readonly failure: AgentFailure | undefined;
      readonly isKept: boolean;
    }
  | { readonly type: 'prompt_abandoned'; readonly key: string; readonly reason: unknown }
  | {
      readonly type: 'request';
      readonly request: PendingRequest;
      readonly permission: PendingPermission | null;
    }
  | { readonly type: 'request_answered'; readonly id: string }
  | { readonly type: 'request_withdrawn'; readonly id: string }
  | { readonly type: 'cancel' }
  /** The editor closes the connection: what waits for the user is answered. */
  | { readonly type: 'cancel_requests' }
  | { readonly type: 'close' }
  | { readonly type: 'close_failed' }
  /** The session is over. `error` rejects the open turns; without it they end as cancelled. */
  | { readonly type: 'closed'; readonly error?: unknown; readonly interruption?: string }
  /** The agent's process ended, and a new one is being started. */
  | { readonly type: 'link_lost'; readonly error: unknown; readonly interruption: string }
  | { readonly type: 'stalled' };

/** How a turn ends for its caller. */
export type TurnOutcome =
  | { readonly result: TurnEnd & { readonly messageId: string | null; readonly _meta?: JsonObject } }
  /** The agent failed while it worked on the prompt, which it had accepted. */
  | { readonly failure: AgentFailure }
  /** `acceptance` is what is known of the prompt where the connection ended. */
  | { readonly error: unknown; readonly acceptance?: 'accepted' | 'begun' | 'unknown' };

export type SessionEffect =
  | { readonly type: 'fold'; readonly update: ConversationUpdate }
  /** Folds history. A failed load takes back what is folded this way. */
  | { readonly type: 'fold_history'; readonly update: ConversationUpdate }
  /** Folds into the conversation beside the shown one. */
  | { readonly type: 'collect'; readonly update: ConversationUpdate }
  /** Adds to the shown conversation what is new in the collected one. */
  | { readonly type: 'merge' }
  /** Forgets the collected conversation. */
  | { readonly type: 'discard' }
  /** Shows a conversation that the editor saved. */
  | { readonly type: 'reset'; readonly conversation: Conversation }
  /** Shows an empty conversation, and keeps the one before. It gets what is not history as well. */
  | { readonly type: 'begin_replay' }
  /** Shows the kept conversation again. */
  | { readonly type: 'restore' }
  /** Forgets the kept conversation. */
  | { readonly type: 'release' }
  | { readonly type: 'send'; readonly call: 'prompt' | 'cancel' | 'close'; readonly key: string }
  | { readonly type: 'accept'; readonly key: string; readonly messageId: string | null }
  | { readonly type: 'settle'; readonly key: string; readonly outcome: TurnOutcome }
  /** Asks the user. */
  | { readonly type: 'ask'; readonly id: string }
  /** Ends a request: with what its handler returned, or without it for a reason. */
  | { readonly type: 'answer'; readonly id: string; readonly reason: CancelReason | 'handled' }
  /** Gives up the load that is under way. */
  | { readonly type: 'abandon_reopen' }
  | { readonly type: 'report_stall' };

/** What a {@link transition} gives. */
export interface Transition {
  readonly state: SessionState;
  readonly effects: readonly SessionEffect[];
}

const noEnd: TurnEnd = { stopReason: null };

/** The state of a session that was just asked for. */
export const initialState: SessionState = {
  phase: 'opening',
  turns: [],
  requests: [],
  replay: null,
  historyTarget: 'live',
  isCancelling: false,
  reported: 'idle',
  reportedIdle: null,
  background: new Set(),
  lastEnd: noEnd,
  reportedMessages: null,
  clock: 0,
  shownActivity: null,
};

/** The status of a session in one word. */
export function statusOf({ phase, replay, requests, turns, reported }: SessionState): SessionStatus {
  if (phase === 'closed' || phase === 'closing' || phase === 'interrupted') return phase;
  if (replay) return 'replaying';
  if (phase === 'opening') return 'opening';
  if (requests.length > 0) return 'requires_action';
  return turns.length > 0 || reported !== 'idle' ? 'running' : 'idle';
}

/** Updates that carry the state of a session now, and no history. */
const stateUpdates: ReadonlySet<string> = new Set<ConversationUpdate['sessionUpdate']>([
  'state_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
]);

/** Whether an update carries history, such as a message or a tool call. */
export function isHistory(update: ConversationUpdate): boolean {
  return !stateUpdates.has(update.sessionUpdate);
}

/**
 * Whether an update can change more than the conversation. All others are folded without a transition, which for a
 * long stream of text is most of them.
 */
export function concernsState(state: SessionState, update: ConversationUpdate): boolean {
  if (state.historyTarget !== 'live' && state.historyTarget !== 'replay') return true;
  switch (update.sessionUpdate) {
    case 'state_update':
      return true;
    case 'user_message':
    case 'user_message_chunk':
      return state.turns.length > 0 && typeof update.messageId === 'string';
    case 'agent_message':
    case 'agent_message_chunk':
    case 'agent_thought':
    case 'agent_thought_chunk':
      return isUnbegun(state.turns);
    case 'tool_call':
      return isUnbegun(state.turns) || state.requests.length > 0;
    case 'tool_call_update':
      return state.requests.length > 0;
    default:
      return false;
  }
}

function isUnbegun(turns: readonly Turn[]): boolean {
  return turns.length === 1 && turns[0]?.hasBegun === false;
}

/** Gives the state after an event, and the effects of the change in the order in which they are to be performed. */
export function transition(state: SessionState, event: SessionEvent, rules: TurnRules): Transition {
  const step = new Step(state, rules);
  if (state.phase === 'closed') refuse(step, event);
  else {
    // Each entry of the table takes the event of its key.
    (transitions[event.type] as (step: Step, event: SessionEvent) => void)(step, event);
    showActivity(step);
  }
  return { state: step.state, effects: step.effects };
}

/** A transition in the making. */
class Step {
  readonly state: { -readonly [K in keyof SessionState]: SessionState[K] };
  readonly effects: SessionEffect[] = [];
  readonly rules: TurnRules;

  constructor(state: SessionState, rules: TurnRules) {
    this.state = { ...state };
    this.rules = rules;
  }

  do(effect: SessionEffect): void {
    this.effects.push(effect);
  }

  /** Folds an update that is not history: one of the client, or the state that the agent reports. */
  fold(update: ConversationUpdate): void {
    const { replay } = this.state;
    if (replay && update.sessionUpdate === 'state_update')
      this.state.replay = { ...replay, activity: update };
    this.do({ type: 'fold', update });
  }

  changeTurn(key: string, change: Partial<Turn>): void {
    this.state.turns = this.state.turns.map((turn) => (turn.key === key ? { ...turn, ...change } : turn));
  }
}

/** A closed session changes no more. What waits for an answer gets one. */
function refuse(step: Step, event: SessionEvent): void {
  if (event.type === 'request') step.do({ type: 'answer', id: event.request.id, reason: 'closed' });
  if (event.type === 'prompt') {
    step.do({
      type: 'settle',
      key: event.key,
      outcome: { result: { stopReason: 'cancelled', messageId: null } },
    });
  }
}

type Transitions = {
  readonly [T in SessionEvent['type']]: (
    step: Step,
    event: Extract<SessionEvent, { readonly type: T }>,
  ) => void;
};

const transitions: Transitions = {
  // --- Opening and loading -----------------------------------------------------------------------------------------

  reopen(step, { mode, shown, saved = shown }) {
    const { state } = step;
    endCollecting(step);
    if (saved !== shown) step.do({ type: 'reset', conversation: saved });
    if (mode === 'replace') {
      state.replay = { previousEnd: state.lastEnd, activity: state.shownActivity };
      state.historyTarget = 'replay';
      state.lastEnd = noEnd;
      state.shownActivity = null;
      step.do({ type: 'begin_replay' });
      return;
    }
    // Without a prompt, a message that arrives before the answer is history.
    const isAtWork = state.turns.length > 0 || state.reported !== 'idle';
    if (!isAtWork) state.historyTarget = saved.entries.length === 0 ? 'replay' : 'collect';
  },

  opened(step, { opened, mayReplayOn }) {
    const { state } = step;
    if (state.phase !== 'closing') state.phase = 'open';
    state.replay = null;
    step.do({ type: 'release' });
    foldOpened(step, opened);
    const isAtWork = state.turns.length > 0 || state.requests.length > 0;
    // Some agents respond before the replay is complete, and an agent of version 1 does not report when it works.
    if (!mayReplayOn || step.rules !== 'response' || isAtWork) endCollecting(step);
    else if (state.historyTarget === 'collect') step.do({ type: 'merge' });
  },

  reopen_failed(step, { isAbandoned }) {
    endReplay(step);
    endCollecting(step);
    if (isAbandoned) step.state.historyTarget = 'skip';
  },

  late_answer({ state }) {
    if (state.historyTarget === 'skip') state.historyTarget = 'live';
  },

  // --- Messages of the agent ---------------------------------------------------------------------------------------

  update(step, { update }) {
    if (isHistory(update)) {
      const { historyTarget } = step.state;
      if (historyTarget === 'skip') return;
      step.do({ type: historyTarget === 'collect' ? 'collect' : 'fold_history', update });
      // What is replayed has happened before: the open turns and requests are not concerned.
      if (historyTarget === 'collect' || step.state.replay) return;
    } else step.fold(update);
    reactTo(step, update);
  },

  changed(step, { update }) {
    step.fold(update);
  },

  // --- Turns -------------------------------------------------------------------------------------------------------

  prompt(step, { key, content }) {
    beginWork(step);
    const { state } = step;
    state.isCancelling = false;
    state.clock++;
    const turn: Turn = {
      key,
      sentAt: state.clock,
      isAccepted: false,
      messageId: null,
      hasBegun: false,
      isAbandoned: false,
    };
    state.turns = [...state.turns, turn];
    step.fold({ sessionUpdate: 'prompt_submitted', key, content });
    showActivity(step);
    step.do({ type: 'send', call: 'prompt', key });
  },

  prompt_answered(step, { key, answer }) {
    const { stopReason, messageId: named, usage, _meta } = answer;
    const open = step.state.turns.find((turn) => turn.key === key);
    const messageId = named ?? open?.messageId ?? null;
    if (messageId !== null) step.fold({ sessionUpdate: 'prompt_settled', key, accepted: true, messageId });
    if (!open) return;
    step.do({ type: 'accept', key, messageId });
    step.changeTurn(key, { isAccepted: true, messageId });
    const turn = { ...open, isAccepted: true, messageId };
    if (stopReason !== undefined || step.rules === 'response') {
      const end = { stopReason: stopReason ?? null, ...(usage && { usage }) };
      endTurn(step, turn, end, _meta);
      return;
    }
    // The answer may come last: an idle state after the agent reported this very message has ended the turn.
    const { reportedIdle, reportedMessages } = step.state;
    const reportedAt = firstReportOf(messageId, reportedMessages);
    if (
      reportedIdle &&
      reportedAt !== null &&
      reportedIdle.at > reportedAt &&
      reportedIdle.at > open.sentAt
    ) {
      endTurn(step, turn, reportedIdle);
    }
  },

  prompt_failed(step, { key, error, failure, isKept }) {
    const turn = step.state.turns.find((candidate) => candidate.key === key);
    if (!turn) return;
    step.fold({ sessionUpdate: 'prompt_settled', key, accepted: isKept });
    const end: TurnEnd = failure ? { stopReason: 'error', error: errorOf(failure) } : noEnd;
    closeTurn(step, turn, end, { error });
    if (failure && isKept) showFailure(step, 'failed', failure.reason ?? failure.message, failure.code);
  },

  prompt_abandoned(step, { key, reason }) {
    const turn = step.state.turns.find((candidate) => candidate.key === key);
    if (!turn || turn.isAbandoned) return;
    step.changeTurn(key, { isAbandoned: true });
    step.do({ type: 'settle', key, outcome: { error: reason } });
  },

  cancel(step) {
    const { state } = step;
    if (state.phase !== 'open') return;
    state.isCancelling = isBusy(state);
    step.do({ type: 'send', call: 'cancel', key: 'cancel' });
    withdraw(step, 'cancelled', ({ toolCallId }) => !isBackground(state, toolCallId));
    step.fold({ sessionUpdate: 'unfinished_cancelled' });
  },

  stalled(step) {
    if (step.state.turns.length > 0) step.do({ type: 'report_stall' });
  },

  // --- Requests of the agent ---------------------------------------------------------------------------------------

  request(step, { request, permission }) {
    beginWork(step);
    const { state } = step;
    const { id, kind, toolCallId } = request;
    if (state.phase === 'closing' || (state.isCancelling && !isBackground(state, toolCallId))) {
      step.do({ type: 'answer', id, reason: 'cancelled' });
      return;
    }
    if (kind === 'permission' && toolCallId !== null) {
      withdraw(step, 'superseded', (other) => other.kind === kind && other.toolCallId === toolCallId);
      step.fold({ sessionUpdate: 'permission_update', toolCallId, permission });
    }
    state.requests = [...state.requests, request];
    step.do({ type: 'ask', id });
  },

  request_answered(step, { id }) {
    withdraw(step, 'handled', (request) => request.id === id);
  },

  request_withdrawn(step, { id }) {
    withdraw(step, 'withdrawn', (request) => request.id === id);
  },

  cancel_requests(step) {
    step.state.isCancelling = true;
    withdraw(step, 'cancelled', () => true);
  },

  // --- The end -----------------------------------------------------------------------------------------------------

  close(step) {
    const { state } = step;
    state.phase = 'closing';
    if (state.replay) {
      endReplay(step);
      step.do({ type: 'abandon_reopen' });
    }
    withdraw(step, 'cancelled', () => true);
    step.do({ type: 'send', call: 'close', key: 'close' });
  },

  close_failed({ state }) {
    if (state.phase === 'closing') state.phase = 'open';
  },

  closed(step, { error, interruption }) {
    interrupt(step, error, interruption);
    step.state.phase = 'closed';
  },

  link_lost(step, { error, interruption }) {
    const { state } = step;
    const isOver = state.phase === 'closing';
    interrupt(step, error, interruption);
    state.phase = isOver ? 'closed' : 'interrupted';
  },
};

/** Folds what the agent answered when it opened the session. */
function foldOpened(step: Step, { modes, models, configOptions, commands, _meta }: OpenedSession): void {
  if (_meta) step.fold({ sessionUpdate: 'session_info_update', _meta });
  if (modes !== undefined) step.fold({ sessionUpdate: 'modes_update', modes });
  if (models !== undefined) step.fold({ sessionUpdate: 'models_update', models });
  if (configOptions) step.fold({ sessionUpdate: 'config_option_update', configOptions });
  if (commands) step.fold({ sessionUpdate: 'available_commands_update', availableCommands: commands });
}

/** What follows from an update of the agent, beside what the conversation shows. */
function reactTo(step: Step, update: ConversationUpdate): void {
  switch (update.sessionUpdate) {
    case 'state_update':
      if (step.rules === 'state_update') stateReported(step, update);
      return;
    case 'user_message':
    case 'user_message_chunk':
      if (typeof update.messageId === 'string') messageReported(step, update.messageId);
      return;
    case 'agent_message':
    case 'agent_message_chunk':
    case 'agent_thought':
    case 'agent_thought_chunk':
      workReported(step);
      return;
    case 'tool_call':
    case 'tool_call_update':
      // An update may be about work in the background.
      if (update.sessionUpdate === 'tool_call') workReported(step);
      if (update.status != null && finished.has(update.status)) {
        withdraw(step, 'finished', ({ toolCallId }) => toolCallId === update.toolCallId);
      }
      return;
  }
}

/** The statuses that a tool call ends with. */
const finished: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** The agent reported its state (version 2). */
function stateReported(
  step: Step,
  { state: reported, stopReason, error, usage, background }: StateUpdate,
): void {
  const { state } = step;
  state.clock++;
  state.reported = reported;
  if (background !== undefined) state.background = toolCallsOf(background ?? []);
  if (reported !== 'idle') return workReported(step);
  state.isCancelling = false;
  // Some agents end a turn, as after a refused permission, and leave its tool calls unfinished.
  if (stopReason === 'cancelled') step.fold({ sessionUpdate: 'unfinished_cancelled' });
  const end: TurnEnd = { stopReason: stopReason ?? null, ...(error && { error }), ...(usage && { usage }) };
  state.reportedIdle = { at: state.clock, ...end };
  const { turns } = state;
  const ended = turns.filter(({ isAccepted, hasBegun }) => isAccepted || (turns.length === 1 && hasBegun));
  for (const turn of ended) endTurn(step, turn, end);
}

/** The agent reported a user message, which may be an open prompt. */
function messageReported(step: Step, messageId: string): void {
  const { state } = step;
  // The chunks of a message follow each other.
  if (state.turns.length === 0 || state.reportedMessages?.messageId === messageId) return;
  state.clock++;
  state.reportedMessages = { messageId, at: state.clock, earlier: state.reportedMessages };
  const isNamed = state.turns.some((turn) => turn.messageId === messageId);
  const unnamed = state.turns.find((turn) => turn.messageId === null);
  if (!isNamed && unnamed) step.changeTurn(unnamed.key, { messageId });
  workReported(step);
}

/** When the agent first reported a message, or `null`. */
function firstReportOf(messageId: string | null, reported: ReportedMessage | null): number | null {
  let first: number | null = null;
  for (let report = reported; report; report = report.earlier) {
    if (report.messageId === messageId) first = report.at;
  }
  return first;
}

/** The agent said or did something. Whose prompt it works on is known where only one is open. */
function workReported({ state }: Step): void {
  if (isUnbegun(state.turns)) {
    state.turns = state.turns.map((turn) => ({ ...turn, hasBegun: true }));
  }
}

/** From here on what the agent sends is not history any more. */
function beginWork(step: Step): void {
  if (step.state.replay === null) endCollecting(step);
}

function endCollecting(step: Step): void {
  const { state } = step;
  if (state.historyTarget === 'collect') {
    step.do({ type: 'merge' });
    step.do({ type: 'discard' });
  }
  state.historyTarget = 'live';
}

/** Brings back the conversation before a load, with what was not part of the replay. */
function endReplay(step: Step): void {
  const { state } = step;
  const { replay } = state;
  if (!replay) return;
  state.replay = null;
  state.historyTarget = 'live';
  state.shownActivity = replay.activity;
  if (state.lastEnd === noEnd) state.lastEnd = replay.previousEnd;
  step.do({ type: 'restore' });
}

/** Ends a turn as the agent ended it. */
function endTurn(step: Step, turn: Turn, end: TurnEnd, meta?: JsonObject | null): void {
  if (!turn.isAccepted) step.do({ type: 'accept', key: turn.key, messageId: turn.messageId });
  // What the agent has not repeated by now it does not repeat: the prompt stands as it was sent.
  step.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: true });
  if (end.stopReason !== 'error') {
    const { stopReason, usage } = end;
    const { messageId } = turn;
    const result = { stopReason, messageId, ...(usage && { usage }), ...(meta && { _meta: meta }) };
    closeTurn(step, turn, end, { result });
    return;
  }
  const failure = failureOf(end);
  closeTurn(step, turn, end, { failure });
  showFailure(step, 'failed', failure.message, failure.code);
}

/** The error as an agent of version 2 reports it. */
function errorOf({ code, message, reason = message, data }: AgentFailure): JsonObject {
  // The data was read from a message, so it is JSON.
  return { code, message: reason, ...(data !== undefined && { data: data as JsonValue }) };
}

function failureOf({ error }: TurnEnd): AgentFailure {
  const { code, message, data } = error ?? {};
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' && message !== '' ? message : 'The turn failed.',
    ...(data !== undefined && { data }),
  };
}

function closeTurn(step: Step, turn: Turn, end: TurnEnd, outcome: TurnOutcome): void {
  const { state } = step;
  state.turns = state.turns.filter(({ key }) => key !== turn.key);
  state.lastEnd = end;
  if (!turn.isAbandoned) step.do({ type: 'settle', key: turn.key, outcome });
  if (state.turns.length > 0) return;
  state.reportedMessages = null;
  if (step.rules === 'state_update') return;
  state.isCancelling = false;
  step.fold({ sessionUpdate: 'unfinished_cancelled' });
}

/** Ends what is under way, because the agent or the session has ended. */
function interrupt(step: Step, error: unknown, interruption: string | undefined): void {
  const { state } = step;
  endReplay(step);
  endCollecting(step);
  withdraw(step, 'closed', () => true);
  const { turns } = state;
  for (const turn of turns) {
    // An agent that has ended does not confirm the prompt any more.
    step.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: true });
    const isNamed = turn.isAccepted || turn.messageId !== null;
    const acceptance = isNamed ? 'accepted' : turn.hasBegun ? 'begun' : 'unknown';
    const { messageId } = turn;
    const outcome: TurnOutcome =
      error === undefined ? { result: { stopReason: 'cancelled', messageId } } : { error, acceptance };
    closeTurn(step, turn, error === undefined ? { stopReason: 'cancelled' } : noEnd, outcome);
  }
  if (step.rules === 'state_update' && (state.reported !== 'idle' || state.background.size > 0)) {
    const { at: _, ...end } =
      state.reported === 'idle' && state.reportedIdle ? state.reportedIdle : { at: 0 };
    step.fold({ sessionUpdate: 'state_update', state: 'idle', ...end });
  }
  state.reported = 'idle';
  state.background = new Set();
  state.isCancelling = false;
  step.fold({ sessionUpdate: 'unfinished_cancelled' });
  if (interruption !== undefined && turns.length > 0) showFailure(step, 'interrupted', interruption);
}

/** Leaves an entry in the transcript for a turn that did not end by itself. */
function showFailure(step: Step, cause: 'failed' | 'interrupted', reason: string, code?: number): void {
  step.fold({ sessionUpdate: 'turn_failed', cause, reason, ...(code !== undefined && { code }) });
}

/** Answers pending requests and forgets them. */
function withdraw(
  step: Step,
  reason: CancelReason | 'handled',
  concerns: (request: PendingRequest) => boolean,
): void {
  const { state } = step;
  const withdrawn = state.requests.filter(concerns);
  if (withdrawn.length === 0) return;
  state.requests = state.requests.filter((request) => !withdrawn.includes(request));
  for (const { id, kind, toolCallId } of withdrawn) {
    step.do({ type: 'answer', id, reason });
    // The request that takes its place has put its own permission there.
    if (kind === 'permission' && toolCallId !== null && reason !== 'superseded') {
      step.fold({ sessionUpdate: 'permission_update', toolCallId, permission: null });
    }
  }
}

/** Shows what the session does. Version 1 does not report it: it follows from the open prompts and requests. */
function showActivity(step: Step): void {
  const { state } = step;
  if (step.rules !== 'response') return;
  const isIdle = state.turns.length === 0 && state.requests.length === 0;
  const activity: StateUpdate = {
    sessionUpdate: 'state_update',
    state: state.requests.length > 0 ? 'requires_action' : isIdle ? 'idle' : 'running',
    ...(isIdle ? state.lastEnd : noEnd),
  };
  if (isSameActivity(state.shownActivity ?? idleActivity, activity)) return;
  state.shownActivity = activity;
  step.fold(activity);
}

const idleActivity: StateUpdate = { sessionUpdate: 'state_update', state: 'idle', stopReason: null };

function isSameActivity(shown: StateUpdate, next: StateUpdate): boolean {
  return (
    shown.state === next.state &&
    shown.stopReason === next.stopReason &&
    shown.error === next.error &&
    shown.usage === next.usage
  );
}

/** Whether the agent works or waits for an answer, as far as is known. */
function isBusy({ turns, requests, reported }: SessionState): boolean {
  return turns.length > 0 || requests.length > 0 || reported !== 'idle';
}

function isBackground({ background }: SessionState, toolCallId: string | null): boolean {
  return toolCallId !== null && background.has(toolCallId);
}

function toolCallsOf(background: readonly { readonly type: string }[]): ReadonlySet<string> {
  const ids = background.map((work) =>
    'toolCallId' in work && work.type === 'tool_call' ? work.toolCallId : null,
  );
  return new Set(ids.filter((id) => typeof id === 'string'));
}
