import type { AnyUpdate } from '../../../model/client-update.ts';
import { backgroundToolCalls } from '../../../model/session.ts';
import type { StateUpdate, ToolCallFields } from '../../../model/update.ts';
import { enterUnnamed } from './pending.ts';
import { endCollecting } from './replay.ts';
import type { SessionState, Turn, TurnEnd } from './state.ts';
import { type Step, withdraw } from './step.ts';
import { endTurn } from './turn-ends.ts';

type Kind = AnyUpdate['sessionUpdate'];

/** What an update of one kind means for its session, beside what the conversation shows. */
interface Reaction<U> {
  /** Whether the update can change the state of the session. `always`: also while nothing in the session is open. */
  readonly concerns: 'always' | ((state: SessionState, update: U) => boolean);
  readonly react: (step: Step, update: U) => void;
}

const prompt: Reaction<{ readonly messageId?: string | null }> = {
  concerns: (state, { messageId }) => isFollowed(state) && typeof messageId === 'string',
  react: promptReported,
};
const work: Reaction<unknown> = { concerns: ({ turns }) => isUnbegun(turns), react: workReported };

/** The kinds of updates that can change more than the conversation. */
const reactions: { readonly [K in Kind]?: Reaction<Extract<AnyUpdate, { readonly sessionUpdate: K }>> } = {
  state_update: { concerns: 'always', react: stateReported },
  replay_complete: {
    concerns: 'always',
    react: (step) => {
      // What follows is not history, also before the answer.
      if (step.state.historyTarget !== 'skip') endCollecting(step);
    },
  },
  user_message: prompt,
  user_message_chunk: prompt,
  agent_message: work,
  agent_message_chunk: work,
  agent_thought: work,
  agent_thought_chunk: work,
  tool_call: {
    concerns: (state) => isUnbegun(state.turns) || followsToolCalls(state),
    react: (step, update) => {
      workReported(step);
      toolCallReported(step, update);
    },
  },
  // It may be about work in the background.
  tool_call_update: { concerns: followsToolCalls, react: toolCallReported },
};

/** The table as a map, which is faster for each update. Each reaction is called with updates of its own kind only. */
const reactionsByKind = new Map(Object.entries(reactions)) as ReadonlyMap<string, Reaction<AnyUpdate>>;

const alwaysOfConcern = [...reactionsByKind.keys()].filter(
  (kind) => reactionsByKind.get(kind)?.concerns === 'always',
);

/**
 * Whether an update can change more than the conversation. All others are folded without a transition, which for a
 * long stream of text is most of them.
 */
export function concernsState(state: SessionState, update: AnyUpdate): boolean {
  if (state.historyTarget !== 'live' && state.historyTarget !== 'replay') return true;
  const { sessionUpdate } = update;
  // This is so for each update of a replay.
  if (!isFollowed(state) && !followsToolCalls(state)) return alwaysOfConcern.includes(sessionUpdate);
  const concerns = reactionsByKind.get(sessionUpdate)?.concerns;
  return concerns === 'always' || (concerns?.(state, update) ?? false);
}

/** Performs what follows from an update from the agent, beside what the conversation shows. */
export function reactTo(step: Step, update: AnyUpdate): void {
  reactionsByKind.get(update.sessionUpdate)?.react(step, update);
}

/** Whether the agent's reports of user messages matter: one may be an open prompt, or a message that waits. */
function isFollowed({ turns, pending }: SessionState): boolean {
  return turns.length > 0 || pending.length > 0;
}

/** Whether one prompt is open, and the agent has not begun to work on it. */
function isUnbegun(turns: readonly Turn[]): boolean {
  return turns.length === 1 && turns[0]?.hasBegun === false;
}

/** Whether the agent's reports of tool calls matter: one may end a request, or be that of a tool of the editor. */
function followsToolCalls({ requests, toolProgress }: SessionState): boolean {
  return requests.length > 0 || toolProgress.size > 0;
}

/** The statuses that a tool call ends with. */
const finished: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

function toolCallReported(step: Step, { toolCallId, status }: ToolCallFields): void {
  const progress = step.state.toolProgress.get(toolCallId);
  // The tool call may be new.
  if (progress) step.fold({ sessionUpdate: 'tool_progress', toolCallId, progress });
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
  step.noteReport(messageId);
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
