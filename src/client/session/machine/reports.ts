import type { AnyUpdate } from '../../../model/client-update.ts';
import type { StateUpdate, ToolCallFields } from '../../../model/update.ts';
import { enterUnnamed } from './pending.ts';
import { endCollecting } from './replay.ts';
import type { SessionState, Turn, TurnEnd } from './state.ts';
import { type Step, withdraw } from './step.ts';
import { endTurn } from './turn-ends.ts';
import { showsWork } from './update-kinds.ts';

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

const toolCall: Reaction<ToolCallFields> = { concerns: followsToolCalls, react: toolCallReported };

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
  tool_call: toolCall,
  tool_call_update: toolCall,
};

/** The table as a map, which is faster for each update. Each reaction is called with updates of its own kind only. */
const reactionsByKind = new Map(Object.entries(reactions)) as ReadonlyMap<string, Reaction<AnyUpdate>>;

/**
 * Whether an update can change more than the conversation. All others are folded without a transition, which for a
 * long stream of text is most of them.
 */
export function concernsState(state: SessionState, update: AnyUpdate): boolean {
  if (state.historyTarget !== 'live' && state.historyTarget !== 'replay') return true;
  const concerns = reactionsByKind.get(update.sessionUpdate)?.concerns;
  if (concerns === 'always') return true;
  // This is so for each update of a replay.
  if (!isFollowed(state) && !followsToolCalls(state)) return false;
  const showsNews = workedOn(state)?.hasBegun === false && showsWork(state, update);
  return showsNews || (concerns?.(state, update) ?? false);
}

/** Performs what follows from an update from the agent, beside what the conversation shows. */
export function reactTo(step: Step, update: AnyUpdate): void {
  if (showsWork(step.state, update)) noteWork(step);
  reactionsByKind.get(update.sessionUpdate)?.react(step, update);
}

/** The agent works on the oldest prompt that the user waits for: it does not say on which one. */
export function noteWork(step: Step): void {
  const turn = workedOn(step.state);
  if (turn && !turn.hasBegun) step.changeTurn(turn.key, { hasBegun: true });
}

function workedOn({ turns }: SessionState): Turn | undefined {
  return turns.find(({ isAbandoned }) => !isAbandoned) ?? turns[0];
}

/** Whether the agent's reports of user messages matter: one may be an open prompt, or a message that waits. */
function isFollowed({ turns, pending }: SessionState): boolean {
  return turns.length > 0 || pending.length > 0;
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
  if (background !== undefined) state.background = background ?? [];
  if (reported !== 'idle') return;
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
}
