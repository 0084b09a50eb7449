import type { ConversationUpdate, StateUpdate } from '../../model/update.ts';
import { endCollecting } from './replay.ts';
import { isUnbegun, type ReportedMessage, type TurnEnd } from './state.ts';
import { type Step, withdraw } from './step.ts';
import { endTurn } from './turns.ts';

/** What follows from an update of the agent, beside what the conversation shows. */
export function reactTo(step: Step, update: ConversationUpdate): void {
  switch (update.sessionUpdate) {
    case 'state_update':
      if (step.rules === 'state_update') stateReported(step, update);
      return;
    case 'replay_complete':
      // What follows is not history, also before the answer.
      if (step.state.historyTarget !== 'skip') endCollecting(step);
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
  { state: reported, stopReason, error, usage, background, _meta }: StateUpdate,
): void {
  const { state } = step;
  state.clock++;
  state.reported = reported;
  if (background !== undefined) state.background = toolCallsOf(background ?? []);
  if (reported !== 'idle') return workReported(step);
  state.isCancelling = false;
  // Some agents end a turn, as after a refused permission, and leave its tool calls unfinished.
  if (stopReason === 'cancelled') step.fold({ sessionUpdate: 'unfinished_cancelled' });
  const end: TurnEnd = {
    stopReason: stopReason ?? null,
    ...(error && { error }),
    ...(usage && { usage }),
    ...(_meta && { _meta }),
  };
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
export function firstReportOf(messageId: string | null, reported: ReportedMessage | null): number | null {
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

function toolCallsOf(background: readonly { readonly type: string }[]): ReadonlySet<string> {
  const ids = background.map((work) =>
    'toolCallId' in work && work.type === 'tool_call' ? work.toolCallId : null,
  );
  return new Set(ids.filter((id) => typeof id === 'string'));
}
