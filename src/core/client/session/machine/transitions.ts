import { CancelledError } from '../../../base/errors.ts';
import type { OpenedSession } from '../../../model/opening.ts';
import { isInBackground } from '../../../model/session.ts';
import type { SessionEffect, TurnOutcome } from './effects.ts';
import type { EventOf, SessionEvent } from './events.ts';
import { cancelHeld, failHeld, holdTurns, loseTurn, restoreTurns } from './held-turns.ts';
import {
  changePending,
  endPending,
  enter,
  findPending,
  firstDue,
  replayedPending,
  reportPending,
  revokeQueued,
  sendQueued,
  setPending,
  settle,
} from './pending.ts';
import { awaited, beginWork, endCollecting, endExpectedHistory, endReplay, news, unshown } from './replay.ts';
import { noteWork, reactTo } from './reports.ts';
import {
  firstReportOf,
  isAtWork,
  noEnd,
  type SessionState,
  type Turn,
  type TurnEnd,
  type TurnRules,
  turnOf,
} from './state.ts';
import { Step, withdraw } from './step.ts';
import {
  cancelTurn,
  closeTurn,
  endForgotten,
  endTurn,
  errorOf,
  failTurn,
  interrupt,
  showActivity,
  showFailure,
} from './turn-ends.ts';
import { isHistory, isUserMessage } from './update-kinds.ts';

/** Gives the state after an event, and the effects of the change in the order in which they are to be performed. */
export function transition(
  state: SessionState,
  event: SessionEvent,
  rules: TurnRules,
): { readonly state: SessionState; readonly effects: readonly SessionEffect[] } {
  const step = new Step(state, rules);
  if (state.phase === 'closed') refuse(step, event);
  else {
    // Each entry of the table takes the event of its key.
    (transitions[event.type] as (step: Step, event: SessionEvent) => void)(step, event);
    sendQueued(step);
    showActivity(step);
  }
  return { state: step.state, effects: step.effects };
}

/** A closed session changes no more, but for its commands, which end later. What waits for an answer gets one. */
function refuse(step: Step, event: SessionEvent): void {
  if (event.type === 'terminal') step.fold(event.update);
  if (event.type === 'request') step.do({ type: 'answer', id: event.request.id, reason: 'closed' });
  if (event.type === 'cancel' || event.type === 'steered') step.do({ type: 'skip', id: event.id });
  // A session that was closed meanwhile can still be deleted.
  if (event.type === 'close') step.do({ type: 'send', id: event.id });
  if (event.type === 'prompt') step.do({ type: 'settle', key: event.key, outcome: cancelled });
  if (event.type === 'queued') step.do({ type: 'settle', key: event.id, outcome: cancelled });
}

const cancelled: TurnOutcome = { result: { stopReason: 'cancelled', messageId: null } };

const transitions: { readonly [T in SessionEvent['type']]: (step: Step, event: EventOf<T>) => void } = {
  // --- Opening and loading -----------------------------------------------------------------------------------------

  reopen(step, event) {
    const { state } = step;
    endCollecting(step);
    if (event.mode === 'replace' || event.isReplayed) state.replayed = 'underWay';
    if (event.mode === 'replace') {
      state.history = { is: 'loading', before: { end: state.lastEnd, activity: state.shownActivity } };
      state.lastEnd = null;
      state.shownActivity = null;
      step.do({ type: 'stores', change: 'beginReplay' });
      return setPending(step, state.pending);
    }
    const { shown, saved = shown } = event;
    if (saved !== shown) step.do({ type: 'reset', conversation: saved });
    // Without a prompt, a message that arrives before the answer is history.
    if (!isAtWork(state)) state.history = { is: saved.entries.length === 0 ? 'replay' : 'collect' };
  },

  opened(step, { opened, mayReplayOn, isHistoryDue = false, replayed }) {
    const { state } = step;
    for (const { id } of replayedPending(state, replayed)) changePending(step, id);
    if (state.phase !== 'closing') state.phase = 'open';
    // Older agents do not say that a history is complete.
    if (state.replayed === 'underWay') state.replayed = 'complete';
    if (state.history.before) state.history = { is: state.history.is === 'loading' ? 'replay' : 'live' };
    step.do({ type: 'stores', change: 'release' });
    foldOpened(step, opened);
    const isActive = state.turns.length > 0 || state.requests.length > 0;
    // Some agents respond before the replay is complete, and an agent of version 1 does not report when it works.
    if (!mayReplayOn || step.rules !== 'response' || isActive) endCollecting(step);
    else {
      step.do({ type: 'stores', change: 'merge' });
      if (isHistoryDue) {
        // What comes with a prompt is shown before it.
        step.do({ type: 'stores', change: 'beginCollecting' });
        state.history = { is: 'awaited' };
      } else if (state.history.is === 'collect') state.history = { is: 'late' };
    }
  },

  reopen_failed(step, { isAbandoned, replayed }) {
    const taken = replayedPending(step.state, replayed);
    endReplay(step);
    endCollecting(step);
    // What the user said is not lost with the history that has it.
    for (const message of taken) enter(step, message);
    if (isAbandoned) step.state.history = { is: 'skip' };
  },

  quiet(step) {
    // What waits to be sent waits for the end of the history. Without it, more of the history can follow.
    const { state } = step;
    // With an open turn, what follows is the work on it.
    if (state.turns.length > 0) endExpectedHistory(step);
    if (firstDue(state)) return endCollecting(step);
    if (!unshown.has(state.history.is)) return;
    step.do({ type: 'stores', change: 'merge' });
    state.history = { is: 'late' };
  },

  late_answer({ state }) {
    if (state.history.is === 'skip') state.history = { is: 'live' };
  },

  // --- Messages from the agent ---------------------------------------------------------------------------------------

  update(step, { update }) {
    if (isHistory(update)) {
      const { is } = step.state.history;
      if (is === 'skip') return;
      const entered = isUserMessage(update) ? reportPending(step, update, is) : undefined;
      step.do({ type: 'fold_history', update });
      if (is === 'late') step.state.history = { is: 'unshown' };
      if (is === 'awaited') step.state.history = { is: 'arriving' };
      if (entered !== undefined) settle(step, entered);
      // What is replayed has happened before: the open turns and requests are not concerned.
      if (!news.has(is)) return;
    } else step.fold(update);
    reactTo(step, update);
  },

  worked(step, { about }) {
    if (!isInBackground(step.state.background, about)) noteWork(step);
  },

  changed: (step, { update }) => step.fold(update),
  terminal: (step, { update }) => step.fold(update),

  tool_progress(step, { toolCallId, progress }) {
    const others = step.state.toolProgress.filter((each) => each.toolCallId !== toolCallId);
    step.state.toolProgress = progress ? [...others, { toolCallId, progress }] : others;
    step.fold({ sessionUpdate: 'tool_progress', toolCallId, progress });
  },

  // --- Turns -------------------------------------------------------------------------------------------------------

  prompt(step, { key, content, queued }) {
    const { state } = step;
    if (!awaited.has(state.history.is)) beginWork(step);
    if (queued !== undefined) changePending(step, queued);
    state.isCancelling = false;
    state.clock++;
    const turn: Turn = {
      key,
      sentAt: state.clock,
      attempts: 1,
      isAccepted: false,
      messageId: null,
      hasBegun: false,
      isStalled: false,
      isAbandoned: false,
      meta: null,
    };
    state.turns = [...state.turns, turn];
    step.fold({ sessionUpdate: 'prompt_submitted', key, content });
    showActivity(step);
    step.do({ type: 'send_prompt', key });
  },

  prompt_answered(step, { key, answer, known }) {
    endExpectedHistory(step);
    const { stopReason, messageId: named, usage, _meta: meta = null } = answer;
    const open = turnOf(step.state, key);
    const messageId = named ?? open?.messageId ?? null;
    if (messageId !== null) step.fold({ sessionUpdate: 'prompt_settled', key, accepted: true, messageId });
    if (!open) return;
    step.do({ type: 'accept', key, messageId, meta });
    const turn = { ...open, isAccepted: true, messageId, meta };
    step.changeTurn(key, turn);
    if (stopReason !== undefined || step.rules === 'response') {
      const end = { stopReason: stopReason ?? null, ...(usage && { usage }) };
      return endTurn(step, turn, end);
    }
    // The answer may come last: an idle state after the agent reported this very message has ended the turn.
    const { reportedIdle, reportedMessages } = step.state;
    const { at = 0, end = noEnd } = reportedIdle ?? {};
    const reportedAt = firstReportOf(messageId, reportedMessages);
    const isOver = reportedAt !== null && at > reportedAt && at > open.sentAt;
    // Nothing more comes about a message that the agent had before, and whose work is over.
    const wasOver = known && !step.state.isDetached && step.state.reported === 'idle';
    if (wasOver && known === 'unanswered' && turn.loss) loseTurn(step, turn, turn.loss);
    else if (isOver || wasOver) endTurn(step, turn, end);
  },

  prompt_failed(step, { key, error, failure, isKept }) {
    const turn = turnOf(step.state, key);
    if (!turn) return;
    endExpectedHistory(step);
    if (error instanceof CancelledError && turn.sentAt <= step.state.cancelledAt)
      return cancelTurn(step, turn);
    step.fold({ sessionUpdate: 'prompt_settled', key, accepted: isKept });
    const end: TurnEnd = failure ? { stopReason: 'error', error: errorOf(failure) } : noEnd;
    closeTurn(step, turn, end, { error });
    if (failure && isKept) showFailure(step, 'failed', failure.reason ?? failure.message, failure.code);
  },

  prompt_abandoned(step, { key, reason }) {
    if (findPending(step, key)?.state === 'held') revokeQueued(step, key, { error: reason });
    const { held } = step.state;
    const turn = turnOf(step.state, key);
    if (!turn || turn.isAbandoned) return;
    if (held.some((each) => each.key === key)) return failTurn(step, turn, { error: reason });
    step.changeTurn(key, { isAbandoned: true });
    step.do({ type: 'cancel_turn', key });
    step.do({ type: 'settle', key, outcome: { error: reason } });
  },

  queued(step, { id, content }) {
    // A message that was not steered keeps its place.
    const held = { kind: 'queue', state: 'held' } as const;
    if (findPending(step, id)) changePending(step, id, held);
    else setPending(step, [...step.state.pending, { id, ...held, content, messageId: null }]);
  },

  steered(step, { id, content, isNaming }) {
    const { state } = step;
    state.isNaming = isNaming;
    state.reportedBefore = state.reportedMessages;
    setPending(step, [...state.pending, { id, kind: 'steer', state: 'sending', content, messageId: null }]);
    step.do({ type: 'send', id });
  },

  steer_accepted(step, { id, messageId }) {
    const { state } = step;
    const message = findPending(step, id);
    // Its report can come before.
    if (message?.kind !== 'steer') return;
    if (firstReportOf(messageId, state.reportedMessages) !== null) changePending(step, id);
    else if (messageId === null && (step.rules === 'response' || !isAtWork(state))) enter(step, message);
    else changePending(step, id, { state: 'accepted', messageId });
  },

  delivered(step, { id }) {
    const message = findPending(step, id);
    if (message?.kind === 'steer') enter(step, message);
  },

  revoked(step, { id }) {
    const message = findPending(step, id);
    if (message?.kind === 'steer') changePending(step, id);
    else if (message?.state === 'held') revokeQueued(step, id, cancelled);
  },

  cancel(step, { id }) {
    const { state } = step;
    cancelHeld(step);
    if (state.phase !== 'open' || state.isDetached) return step.do({ type: 'skip', id });
    state.isCancelling = isAtWork(state) || state.requests.length > 0;
    state.cancelledAt = state.clock;
    step.do({ type: 'send', id });
    withdraw(step, 'cancelled', (request) => !isInBackground(state.background, request));
    step.fold({ sessionUpdate: 'unfinished_cancelled' });
    endForgotten(step);
  },

  stalled(step) {
    const { state } = step;
    state.turns = state.turns.map((turn) => ({ ...turn, isStalled: true }));
    endForgotten(step);
    if (state.turns.length > 0) step.do({ type: 'report_stall', isSteered: state.steered.length > 0 });
  },

  // --- Requests from the agent ---------------------------------------------------------------------------------------

  request(step, { request }) {
    beginWork(step);
    const { state } = step;
    const { id, toolCallId, permission } = request;
    if (state.phase === 'closing' || (state.isCancelling && !isInBackground(state.background, request)))
      return step.do({ type: 'answer', id, reason: 'cancelled' });
    const running = step.asking(toolCallId)?.running ?? 0;
    if (permission && toolCallId !== null)
      step.fold({ sessionUpdate: 'permission_update', toolCallId, permission });
    state.requests = [...state.requests, { ...request, running }];
    step.do({ type: 'ask', id });
  },

  request_answered(step, { id }) {
    const answered = step.state.requests.find((request) => request.id === id);
    withdraw(step, 'handled', (request) => request === answered);
    if (answered?.kind === 'permission') step.countRunning(answered.toolCallId, 1);
  },

  request_withdrawn(step, { id, reason }) {
    withdraw(step, reason, (request) => request.id === id);
  },

  cancel_requests(step) {
    step.state.isCancelling = true;
    withdraw(step, 'cancelled', () => true);
  },

  // --- The end -----------------------------------------------------------------------------------------------------

  close(step, { id }) {
    const { state } = step;
    state.phase = 'closing';
    const isLoading = state.history.before !== undefined;
    endReplay(step);
    if (isLoading) step.do({ type: 'abandon_load' });
    withdraw(step, 'cancelled', () => true);
    step.do({ type: 'send', id });
  },

  close_failed({ state }) {
    if (state.phase === 'closing') state.phase = 'open';
  },

  closed(step, { end, error, interruption }) {
    endExpectedHistory(step);
    const { held, turns } = step.state;
    const isCut = held.length + turns.length > 0 && !held.some(({ loss }) => loss.isShown);
    if (error === undefined) cancelHeld(step);
    else failHeld(step);
    interrupt(step, error, isCut ? interruption : undefined);
    endPending(step, error === undefined ? cancelled : { error, acceptance: 'queued' });
    step.state.phase = 'closed';
    step.state.closedBy = end.reason;
    step.do({ type: 'end', end });
  },

  link_lost(step, event) {
    const { error, interruption, holds = false } = event;
    const { state } = step;
    // Its call is sent again, and says how it ends.
    const isClosing = state.phase === 'closing';
    endExpectedHistory(step);
    // What the user has cancelled does not go on.
    const isHolding = holds && !isClosing && !state.isCancelling && step.rules === 'state_update';
    const isCut = (isHolding && holdTurns(step, event)) || state.turns.length > 0;
    interrupt(step, error, isCut ? interruption : undefined);
    endPending(step, isClosing ? { error, acceptance: 'queued' } : undefined);
    if (!isClosing) state.phase = 'interrupted';
    state.isDetached = true;
  },

  link_restored(step, event) {
    step.state.isDetached = false;
    restoreTurns(step, event);
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
