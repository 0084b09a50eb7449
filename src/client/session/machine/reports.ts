import type { AnyUpdate } from '../../../model/client-update.ts';
import { backgroundToolCalls } from '../../../model/session.ts';
import type { StateUpdate, ToolCallFields } from '../../../model/update.ts';
import { enterUnnamed } from './pending.ts';
import { endCollecting } from './replay.ts';
import { noteReport } from './reported-messages.ts';
import { isUnbegun, type TurnEnd } from './state.ts';
import { type Step, withdraw } from './step.ts';
import { endTurn } from './turn-ends.ts';
import { isFollowed, isReacting, type ReactingKind } from './update-kinds.ts';

type Reactions = {
  readonly [K in ReactingKind]: (
    step: Step,
    update: Extract<AnyUpdate, { readonly sessionUpdate: K }>,
  ) => void;
};

/** What follows from an update of each kind, beside what the conversation shows. */
const reactions: Reactions = {
  state_update: stateReported,
  replay_complete: (step) => {
    // What follows is not history, also before the answer.
    if (step.state.historyTarget !== 'skip') endCollecting(step);
  },
  user_message: promptReported,
  user_message_chunk: promptReported,
  agent_message: workReported,
  agent_message_chunk: workReported,
  agent_thought: workReported,
  agent_thought_chunk: workReported,
  tool_call: (step, update) => {
    workReported(step);
    toolCallReported(step, update);
  },
  // It may be about work in the background.
  tool_call_update: toolCallReported,
};

/** Performs what follows from an update from the agent, beside what the conversation shows. */
export function reactTo(step: Step, update: AnyUpdate): void {
  if (!isReacting(update)) return;
  // Each entry of the table takes the update of its key.
  (reactions[update.sessionUpdate] as (step: Step, update: AnyUpdate) => void)(step, update);
}

/** The statuses that a tool call ends with. */
const finished: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

function toolCallReported(step: Step, { toolCallId, status }: ToolCallFields): void {
  if (!finished.has(status)) return;
  withdraw(step, 'finished', (request) => request.toolCallId === toolCallId);
}

/** The agent reported its state (version 2). */
function stateReported(
  step: Step,
  { state: reported, stopReason, error, usage, background, _meta }: StateUpdate,
): void {
  const { state } = step;
  state.clock++;
  state.reported = reported;
  if (background !== undefined) state.background = backgroundToolCalls(background ?? []);
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
  enterUnnamed(step);
}

/** The agent reported a user message, which may be an open prompt. */
function promptReported(step: Step, { messageId }: { readonly messageId?: string | null }): void {
  if (typeof messageId !== 'string') return;
  const { state } = step;
  // The chunks of a message follow each other.
  if (!isFollowed(state) || state.reportedMessages?.messageId === messageId) return;
  noteReport(state, messageId);
  const isNamed = state.turns.some((turn) => turn.messageId === messageId);
  const unnamed = state.turns.find((turn) => turn.messageId === null);
  // What is reported after a message was steered is that message.
  if (!isNamed && unnamed && state.steered.length === 0) step.changeTurn(unnamed.key, { messageId });
  workReported(step);
}

/** The agent said or did something. Whose prompt it works on is known where only one is open. */
function workReported({ state }: Step): void {
  if (isUnbegun(state.turns)) {
    state.turns = state.turns.map((turn) => ({ ...turn, hasBegun: true }));
  }
}
