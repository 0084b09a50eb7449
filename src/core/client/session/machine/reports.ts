import { omitNullish } from '../../../base/json.ts';
import type { AnyUpdate } from '../../../model/client-update.ts';
import { isToolCallFinished } from '../../../model/tool-call.ts';
import type { MessageChunk, MessageUpdate, StateUpdate, ToolCallFields } from '../../../model/update.ts';
import { enterUnnamed } from './pending.ts';
import { collecting, endCollecting } from './replay.ts';
import { type PendingRequest, type SessionState, type Turn, type TurnEnd, turnOf } from './state.ts';
import { type Step, withdraw } from './step.ts';
import { endTurn } from './turn-ends.ts';
import { isUserMessage, showsWork } from './update-kinds.ts';

/**
 * Whether an update can change more than the conversation. All others are folded without a transition, which for a
 * long stream of text is most of them.
 */
export function concernsState(state: SessionState, update: AnyUpdate): boolean {
  const { is } = state.history;
  if (is === 'skip' || collecting.has(is)) return true;
  const { sessionUpdate: kind } = update;
  if (kind === 'state_update' || kind === 'replay_complete') return true;
  // This is so for each update of a replay.
  if (!isFollowed(state) && !followsToolCalls(state)) return false;
  if (state.turns.some(mayBegin) && showsWork(state, update)) return true;
  const isToolCall = kind === 'tool_call' || kind === 'tool_call_update';
  return isUserMessage(update) || (isToolCall && followsToolCalls(state));
}

/** Performs what follows from an update from the agent, beside what the conversation shows. */
export function reactTo(step: Step, update: AnyUpdate): void {
  if (showsWork(step.state, update)) noteWork(step);
  switch (update.sessionUpdate) {
    case 'state_update':
      return stateReported(step, update);
    case 'replay_complete':
      return replayCompleted(step);
    case 'user_message':
    case 'user_message_chunk':
      return promptReported(step, update);
    case 'tool_call':
    case 'tool_call_update':
      return toolCallReported(step, update);
  }
}

/** The agent works. It does not say on which prompt. */
export function noteWork({ state }: Step): void {
  const { turns } = state;
  state.turns = turns.map((turn, at) => (mayBegin(turn, at, turns) ? { ...turn, hasBegun: true } : turn));
}

/** Whether work can be the beginning of a turn: of each that the agent accepted, and of the oldest that a caller awaits. */
function mayBegin(turn: Turn, _: number, turns: readonly Turn[]): boolean {
  const oldest = turns.find(({ isAbandoned }) => !isAbandoned) ?? turns[0];
  return !turn.hasBegun && (turn.isAccepted || turn === oldest);
}

/**
 * Whether the agent has shown no sign of a message of the user: an open prompt, or one that was steered. Only such a message
 * is sent again after a login, leaves the conversation when it is refused, and counts as not accepted.
 */
export function isUntouched(state: SessionState, key: string): boolean {
  const { pending, isNaming, reportedMessages, reportedBefore } = state;
  const turn = turnOf(state, key);
  // An agent that names the message in its answer can have reported it before.
  const isReported = isNaming && reportedMessages !== reportedBefore;
  return turn
    ? !turn.hasBegun && !turn.isAccepted && turn.messageId === null
    : !isReported && pending.some(({ id }) => id === key);
}

/** Whether the agent's reports of user messages matter: one may be an open prompt, or a message that waits. */
function isFollowed({ turns, pending }: SessionState): boolean {
  return turns.length > 0 || pending.length > 0;
}

/** Whether the agent's reports of tool calls matter: one may end a request, or be that of a tool of the editor. */
function followsToolCalls({ requests, toolProgress }: SessionState): boolean {
  return requests.length > 0 || toolProgress.length > 0;
}

function replayCompleted(step: Step): void {
  const { state } = step;
  if (state.history.is === 'skip') return;
  // What follows is not history, also before the answer.
  endCollecting(step);
  if (state.replayed !== 'underWay') return;
  state.replayed = 'complete';
  step.do({ type: 'replayed' });
}

function toolCallReported(step: Step, { toolCallId, status }: ToolCallFields): void {
  const known = step.state.toolProgress.find((each) => each.toolCallId === toolCallId);
  // The tool call may be new.
  if (known) step.fold({ sessionUpdate: 'tool_progress', ...known });
  if (!isToolCallFinished(status ?? '')) return;
  // One of several calls with this id has ended: one that has its answer, or else the oldest one.
  const oldest = step.asking(toolCallId);
  const isOver = (request: PendingRequest) =>
    request.kind === 'permission'
      ? request === oldest && !request.running
      : request.toolCallId === toolCallId;
  withdraw(step, 'finished', isOver);
  if (oldest?.running) step.countRunning(toolCallId, -1);
}

/**
 * The agent reported its state (version 2). It is no event: an agent reports it again, as when work in the background
 * ends. An idle state ends what has begun. It ends a turn without any sign of work if it has a new stop reason.
 */
function stateReported(step: Step, update: StateUpdate): void {
  const { state: reported, stopReason = null, error, usage, background, _meta } = update;
  const { state } = step;
  const { turns, reported: before, reportedIdle } = state;
  state.clock++;
  state.reported = reported;
  state.reportsWork ||= reported !== 'idle' || isOpening(state);
  if (background !== undefined) state.background = background ?? [];
  if (reported !== 'idle') return;
  const isEnd = before !== 'idle' || hasNewReason(state, stopReason);
  const ended = turns.filter((turn) => (isEnd || turn.hasBegun) && mayEnd(turn, turns));
  const hasEnded = isEnd || ended.length > 0;
  const end: TurnEnd = { stopReason, ...omitNullish({ error, usage, _meta }) };
  const at = isEnd ? state.clock : (reportedIdle?.at ?? 0);
  if (hasEnded || isOpening(state)) state.reportedIdle = { at, end };
  if (!hasEnded && turns.length > 0) return;
  state.isCancelling = false;
  // Some agents end a turn, as after a refused permission, and leave its tool calls unfinished.
  if (hasEnded && stopReason === 'cancelled') step.fold({ sessionUpdate: 'unfinished_cancelled' });
  for (const turn of ended) endTurn(step, turn, end);
  enterUnnamed(step);
}

/**
 * Whether a call that opens the session is under way, in version 2. The state that the agent reports then is that of the
 * session, and no news.
 */
function isOpening({ phase, history: { is, before } }: SessionState): boolean {
  const isReplayed = before !== undefined || is === 'collect' || is === 'replay';
  return phase === 'opening' || phase === 'interrupted' || isReplayed;
}

/** Whether an idle state in an idle session has a stop reason, and does not only repeat the one of the last end. */
function hasNewReason(state: SessionState, stopReason: string | null): boolean {
  if (stopReason === null || isOpening(state)) return false;
  // An agent that reports nothing but the ends of its turns does not repeat them.
  return state.isCancelling || !state.reportsWork || stopReason !== state.reportedIdle?.end.stopReason;
}

/** Whether an idle state can be about a turn: the agent has answered the prompt, or knows it and no other is open. */
function mayEnd({ isAccepted, hasBegun, messageId }: Turn, { length }: readonly Turn[]): boolean {
  return isAccepted || (length === 1 && (hasBegun || messageId !== null));
}

/** The agent reported a user message, which may be an open prompt. */
function promptReported(step: Step, { messageId }: MessageChunk | MessageUpdate): void {
  if (typeof messageId !== 'string') return;
  const { state } = step;
  // The chunks of a message follow each other.
  if (!isFollowed(state) || state.reportedMessages?.messageId === messageId) return;
  step.noteReport(messageId);
  const isNamed = state.turns.some((turn) => turn.messageId === messageId);
  const unnamed = state.turns.find((turn) => turn.messageId === null);
  // What is reported after a message was steered is that message.
  if (!isNamed && unnamed && state.steered.length === 0) step.changeTurn(unnamed.key, { messageId });
}
