import { joinedText } from '../../../model/content.ts';
import type { Conversation, MessageEntry, PendingMessage } from '../../../model/conversation.ts';
import type { TurnOutcome } from './effects.ts';
import { collecting, news } from './replay.ts';
import { firstReportOf, type HistoryState, isAtWork, type SessionState } from './state.ts';
import type { Step } from './step.ts';

/** The messages of the user that wait: in the client until nothing runs, or at the agent until it reports them. */

export function findPending({ state }: Step, id: string): PendingMessage | undefined {
  return state.pending.find((message) => message.id === id);
}

/** Changes the messages that wait, and shows them. */
export function setPending(step: Step, messages: readonly PendingMessage[]): void {
  step.state.pending = messages;
  step.fold({ sessionUpdate: 'pending_messages', messages });
}

/** Changes a message that waits, or removes it. */
export function changePending(step: Step, id: string, change?: Partial<PendingMessage>): void {
  setPending(
    step,
    step.state.pending.flatMap((message) => {
      if (message.id !== id) return message;
      return change ? { ...message, ...change } : [];
    }),
  );
}

/** The message of the queue that is to be sent now, if there is one. */
export function firstDue(state: SessionState): PendingMessage | undefined {
  if (state.phase !== 'open' || state.isDetached || state.history.before || isAtWork(state)) return undefined;
  return state.pending.find(({ kind }) => kind === 'queue');
}

/** Sends the oldest message of the queue, if nothing runs. The runner then dispatches its prompt. */
export function sendQueued(step: Step): void {
  const { state } = step;
  const next = firstDue(state);
  if (next?.state !== 'held' || state.history.is !== 'live') return;
  changePending(step, next.id, { state: 'sending' });
  step.do({ type: 'send_queued', id: next.id });
}

/** A steered message becomes an entry: of origin `local`, until the agent reports it or the work ends. */
export function enter(step: Step, message: PendingMessage): void {
  const { state } = step;
  submit(step, message);
  if (isAtWork(state)) state.steered = [...state.steered, message.id];
  else settle(step, message.id);
}

function submit(step: Step, { id: key, content, messageId }: PendingMessage): void {
  changePending(step, key);
  // An agent of version 1 repeats a prompt before it works on it. What it repeats from now on is this message.
  if (step.rules === 'response') {
    for (const turn of step.state.turns) if (turn.hasBegun) settle(step, turn.key);
  }
  step.fold({ sessionUpdate: 'prompt_submitted', key, content });
  if (messageId !== null) step.fold({ sessionUpdate: 'prompt_settled', key, accepted: true, messageId });
}

/** The entry of a message stands, whether the agent has reported it or not. */
export function settle(step: Step, key: string): void {
  step.fold({ sessionUpdate: 'prompt_settled', key, accepted: true });
}

/** The work has ended: what the agent has not reported by now stands as it was sent. */
export function settleSteered(step: Step): void {
  const { state } = step;
  for (const key of state.steered) settle(step, key);
  state.steered = [];
}

/** The agent is idle. It has named the messages that it keeps; the others are part of the turn that has ended. */
export function enterUnnamed(step: Step): void {
  for (const message of step.state.pending) {
    if (message.state === 'accepted' && message.messageId === null) enter(step, message);
  }
}

/**
 * The agent reports a user message. If that is one that waits, it becomes an entry now, which the report then confirms.
 *
 * @param time - Whether the report is news or history: what is collected has the entry already, and what is loaded is
 *   looked at when it is complete.
 * @returns The key of that entry. Settle it after the report.
 */
export function reportPending(
  step: Step,
  { messageId }: { readonly messageId?: string | null },
  time: HistoryState,
): string | undefined {
  const { state } = step;
  if (state.pending.length === 0 || typeof messageId !== 'string') return undefined;
  const steered = state.pending.filter(({ kind }) => kind === 'steer');
  const named = steered.find((message) => message.messageId === messageId);
  if (collecting.has(time) && named) changePending(step, named.id);
  if (!news.has(time)) return undefined;
  const isKnown =
    state.turns.some((turn) => turn.messageId === messageId || isAwaitingReport(step, turn)) ||
    firstReportOf(messageId, state.reportedMessages) !== null;
  const reported = named ?? (isKnown || state.isNaming ? undefined : steered[0]);
  if (!reported) return undefined;
  submit(step, reported);
  // The report is not about an open prompt.
  step.noteReport(messageId);
  return reported.id;
}

/**
 * The messages that the agent has taken and that a replay has: under their id, or with the same words behind the prompt
 * of the open turn.
 */
export function replayedPending(
  { history, pending, turns }: SessionState,
  replayed: Conversation | undefined,
): readonly PendingMessage[] {
  if (!history.before || !replayed || pending.length === 0) return [];
  const said = replayed.entries.filter(
    (entry): entry is MessageEntry => entry.kind === 'message' && entry.role === 'user',
  );
  const prompt = said.findIndex(({ messageId }) => messageId !== null && messageId === turns[0]?.messageId);
  const unnamed = said.slice(prompt + 1);
  return pending.filter(({ state, messageId, content }) => {
    if (state !== 'accepted') return false;
    if (messageId !== null) return said.some((entry) => entry.messageId === messageId);
    const at = unnamed.findIndex((entry) => joinedText(entry.content) === joinedText(content));
    // Two messages with the same words are two entries.
    if (at !== -1) unnamed.splice(at, 1);
    return at !== -1;
  });
}

/** Whether the agent may still report the prompt of a turn, so that a report is about that prompt first. */
function isAwaitingReport({ rules }: Step, turn: SessionState['turns'][number]): boolean {
  return turn.messageId === null && !(rules === 'response' && turn.hasBegun);
}

/** Ends the wait, because the agent or the session has ended. What the agent has accepted becomes an entry. */
export function endPending(step: Step, outcome: TurnOutcome | undefined): void {
  for (const message of step.state.pending) {
    if (message.state === 'accepted') enter(step, message);
    else if (message.kind === 'steer') changePending(step, message.id);
    // Without an outcome the agent is started again, and gets what is held then.
    else if (outcome) revokeQueued(step, message.id, outcome);
  }
  settleSteered(step);
}

/** Takes a message out of the queue. */
export function revokeQueued(step: Step, id: string, outcome: TurnOutcome): void {
  changePending(step, id);
  step.do({ type: 'settle', key: id, outcome });
}
