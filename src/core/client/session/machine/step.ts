import type { AnyUpdate } from '../../../model/client-update.ts';
import type { SessionEffect } from './effects.ts';
import type { CancelReason, PendingRequest, SessionState, Turn, TurnRules } from './state.ts';

/** What a handler reads in the reason of its signal. */
export const cancelTexts: Readonly<Record<CancelReason, string>> = {
  cancelled: 'The user cancelled.',
  finished: 'The tool call has ended.',
  withdrawn: 'The agent withdrew the request.',
  closed: 'The session is over.',
};

/** A transition in the making. */
export class Step {
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
  fold(update: AnyUpdate): void {
    const { history } = this.state;
    if (history.before && update.sessionUpdate === 'state_update')
      this.state.history = { ...history, before: { ...history.before, activity: update } };
    this.do({ type: 'fold', update });
  }

  /** The agent reports a message of the user. */
  noteReport(messageId: string): void {
    const { state } = this;
    state.clock++;
    state.reportedMessages = { messageId, at: state.clock, earlier: state.reportedMessages };
  }

  /** The oldest open request for the permission of a call with this id. */
  asking(toolCallId: string | null): PendingRequest | undefined {
    return this.state.requests.find((request) => isFor(request, toolCallId));
  }

  /** Changes how many calls with this id have their answer, for the requests that wait for one. */
  countRunning(toolCallId: string | null, change: 1 | -1): void {
    const { state } = this;
    state.requests = state.requests.map((request) =>
      isFor(request, toolCallId) ? { ...request, running: (request.running ?? 0) + change } : request,
    );
  }

  changeTurn(key: string, change: Partial<Turn>): void {
    const changed = <T extends Turn>(turn: T): T => (turn.key === key ? { ...turn, ...change } : turn);
    this.state.turns = this.state.turns.map(changed);
    this.state.held = this.state.held.map(changed);
  }
}

function isFor({ kind, toolCallId: id }: PendingRequest, toolCallId: string | null): boolean {
  return kind === 'permission' && id === toolCallId;
}

/** Answers pending requests and forgets them. */
export function withdraw(
  step: Step,
  reason: CancelReason | 'handled',
  concerns: (request: PendingRequest) => boolean,
): void {
  const { state } = step;
  const withdrawn = state.requests.filter(concerns);
  state.requests = state.requests.filter((request) => !withdrawn.includes(request));
  for (const { id, toolCallId, permission: ended } of withdrawn) {
    step.do({ type: 'answer', id, reason });
    if (toolCallId !== null && ended)
      step.fold({ sessionUpdate: 'permission_update', toolCallId, permission: null, ended });
  }
}
