import type { EventOf } from './events.ts';
import { hasArrived, isNamed, type Loss, noEnd, type SessionState, type Turn } from './state.ts';
import type { Step } from './step.ts';
import { acceptanceOf, cancelTurn, endTurn, failTurn, showFailure } from './turn-ends.ts';

/**
 * The prompts that are open while the agent is started again. Version 2 has a key for each prompt, so that an agent runs
 * it once, however often it is sent.
 *
 * @see https://agentclientprotocol.com/rfds/v2/idempotency-keys
 */

/** Takes the open prompts aside that may go on. Returns whether something of them was cut off. */
export function holdTurns({ state }: Step, { interruption }: EventOf<'link_lost'>): boolean {
  const open = state.turns.filter(({ isAbandoned }) => !isAbandoned);
  const isWorking = open.length > 0 && state.reported !== 'idle';
  // What a replay has of work that goes on was cut off with the replay.
  const isReplayCut = state.held.length > 0 && state.replayed !== null;
  const isShown = open.some(hasArrived) || isWorking || isReplayCut;
  const loss = { interruption, isShown };
  const held = state.held.map((turn) => ({
    ...turn,
    loss: { ...turn.loss, isShown: turn.loss.isShown || isShown },
  }));
  state.held = [...held, ...open.map((turn) => ({ ...turn, loss }))];
  state.turns = state.turns.filter(({ isAbandoned }) => isAbandoned);
  return isShown;
}

/** The session could not be opened again. How the agent ended says more than that. */
export function failHeld(step: Step): void {
  for (const turn of step.state.held) failTurn(step, turn, { lost: acceptanceOf(turn) });
}

/** The user does not want the work any more. Nothing can be sent to the agent now. */
export function cancelHeld(step: Step): void {
  for (const turn of step.state.held) cancelTurn(step, turn);
}

/** Whether an open prompt waits until the session is open again. */
export function isHeld({ held }: SessionState, key: string): boolean {
  return held.some((turn) => turn.key === key);
}

/** Whether some prompt is held of which it is not known whether the agent has it. */
export function holdsUnnamed({ held }: SessionState): boolean {
  return held.some((turn) => !isNamed(turn));
}

/**
 * The session is open again. A prompt that the agent has goes on, or ended meanwhile. Any other one is sent again if that
 * is safe. A state that the agent reports is no word about one prompt: with a key, the agent's answer says more.
 */
export function restoreTurns(step: Step, event: EventOf<'link_restored'>): void {
  const { state } = step;
  const [oldest] = state.held;
  for (const turn of state.held) {
    const { loss, ...sent } = turn;
    const isWorking = state.reported !== 'idle';
    if (event.mayResend && step.rules === 'state_update' && !isNamed(turn)) sendAgain(step, turn);
    else if (isWorking && (hasArrived(turn) || turn === oldest))
      reopen(step, { ...sent, isAccepted: true, hasBegun: true });
    else if (hasArrived(turn) && hasEnded(state, event))
      endTurn(step, sent, state.reportedIdle?.end ?? noEnd);
    else loseTurn(step, turn, loss);
  }
}

/** Ends a turn that does not go on. */
export function loseTurn(step: Step, turn: Turn, { interruption, isShown }: Loss): void {
  failTurn(step, turn, { lost: acceptanceOf(turn) });
  if (!isShown) showFailure(step, 'interrupted', interruption);
}

/** Whether the agent says that it is idle, and has ended the work: it works on without the client, or says how it ended. */
function hasEnded({ reportedIdle }: SessionState, { hasWorkedOn }: EventOf<'link_restored'>): boolean {
  if (!reportedIdle) return false;
  return hasWorkedOn || reportedIdle.at > 0 || reportedIdle.end.stopReason !== null;
}

function sendAgain(step: Step, turn: Turn): void {
  step.state.clock++;
  const { key, attempts } = turn;
  reopen(step, { ...turn, hasBegun: false, sentAt: step.state.clock, attempts: attempts + 1 });
  step.do({ type: 'send_prompt', key });
}

function reopen({ state }: Step, turn: Turn): void {
  state.held = state.held.filter(({ key }) => key !== turn.key);
  state.turns = [...state.turns, { ...turn, isStalled: false }];
}
