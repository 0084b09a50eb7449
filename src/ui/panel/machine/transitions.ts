import type { Transition } from '../../../core/base/machine.ts';
import { equal } from '../../../core/conversation/equal.ts';
import {
  type AgentEnd,
  initialState,
  type MachineState,
  type PanelEffect,
  type PanelEvent,
  type ShownSession,
} from './state.ts';
import { shownProblem } from './view.ts';

/** A transition in the making. */
interface Step {
  readonly state: { -readonly [K in keyof MachineState]: MachineState[K] };
  readonly effects: PanelEffect[];
}

type Event<T extends PanelEvent['type']> = Extract<PanelEvent, { readonly type: T }>;

/**
 * Gives the state after an event, and the effects of the change in the order in which they are to be performed. An event that
 * changes nothing leaves the same state: what pages show is made of it again for another one.
 */
export function transition(state: MachineState, event: PanelEvent): Transition<MachineState, PanelEffect> {
  const step: Step = { state: { ...state }, effects: [] };
  if (state.isOver) {
    // A closed panel changes no more. A question gets its outcome.
    if (event.type === 'asked') step.effects.push({ type: 'withdraw', id: event.question.id });
    // A run that was replaced changes nothing.
  } else if (!('run' in event) || event.run === state.run) {
    // Each entry of the table takes the event of its key.
    (transitions[event.type] as (step: Step, event: PanelEvent) => void)(step, event);
  }
  // `Object.keys` has the type `string[]`.
  const keys = Object.keys(step.state) as (keyof MachineState)[];
  return keys.some((key) => step.state[key] !== state[key]) ? step : { ...step, state };
}

/** The agent is not running. */
const ended = { phase: 'closed', nextAttemptAt: null, loadedUpdates: null } as const;

const transitions: { readonly [T in PanelEvent['type']]: (step: Step, event: Event<T>) => void } = {
  // --- The agent -----------------------------------------------------------------------------------------------------

  start(step) {
    leaveRun(step);
    step.effects.push({ type: 'start', run: step.state.run });
  },

  starting({ state }, { isRestoring }) {
    const { phase, nextAttemptAt, agent, features, authMethods, problem, ignoresCancel } = initialState;
    Object.assign(state, { phase, nextAttemptAt, agent, features, authMethods, problem, ignoresCancel });
    state.loadedUpdates = isRestoring ? 0 : null;
  },

  start_failed(step, { problem, forLog }) {
    Object.assign(step.state, ended, { problem });
    step.effects.push({ type: 'report', problem: forLog });
  },

  no_agent({ state }) {
    Object.assign(state, ended);
  },

  agents_listed({ state }, { agents }) {
    state.agents = agents;
  },

  agent_changed(step) {
    Object.assign(step.state, { listed: [], open: [], firstLines: new Map(), loadedUpdates: null });
    showAndRemember(step, null);
  },

  described({ state }, { phase, nextAttemptAt, agent, features, authMethods }) {
    Object.assign(state, { phase, nextAttemptAt, agent, features, authMethods });
    const { problem } = state;
    if (phase !== 'reconnecting' && isEnd(problem)) state.problem = { ...problem, consequence: 'restarted' };
  },

  agent_lost(step, { end }) {
    // It can run again before this is known.
    if (step.state.phase === 'reconnecting') showEnd(step, { ...end, consequence: 'restarts' });
  },

  agent_ended(step, { end }) {
    Object.assign(step.state, ended);
    showEnd(step, { ...end, consequence: 'over' });
  },

  stop(step) {
    leaveRun(step);
    Object.assign(step.state, ended, { problem: null });
    step.effects.push({ type: 'stop' });
  },

  close(step) {
    transitions.stop(step, { type: 'stop' });
    step.state.isOver = true;
  },

  // --- Sessions ------------------------------------------------------------------------------------------------------

  listed({ state }, { sessions }) {
    state.listed = sessions;
  },

  saved({ state }, { sessions }) {
    state.saved = sessions;
  },

  sessions_changed({ state }, { open }) {
    // Each update of a conversation leads here, and few of them change what a list shows.
    if (!equal(state.open, open)) state.open = open;
    // The turn that was cancelled has ended.
    if (open.some(({ sessionId, isIdle }) => isIdle && sessionId === state.shown?.sessionId)) {
      state.ignoresCancel = false;
    }
    const found = open.filter(
      ({ sessionId, firstLine }) => firstLine !== null && state.firstLines.get(sessionId) !== firstLine,
    );
    if (found.length === 0) return;
    const lines = found.map(({ sessionId, firstLine }) => [sessionId, firstLine ?? ''] as const);
    state.firstLines = new Map([...state.firstLines, ...lines]);
  },

  open(step, { id, sessionId, isRemembered }) {
    const { state } = step;
    // What an opening shows that is given up here is a part of a history.
    const { before } = state.opening ?? { before: state.shown };
    abandonOpening(step);
    state.opening = { id, sessionId, before, isRemembered };
    state.loadedUpdates = sessionId === null ? null : 0;
  },

  progress(step, { id, session, updates }) {
    if (step.state.opening?.id !== id) return;
    step.state.loadedUpdates = updates;
    showAndRemember(step, session);
  },

  opened(step, { id, session }) {
    if (step.state.opening?.id !== id) return;
    endOpening(step);
    showAndRemember(step, session);
  },

  open_failed(step, { id, isGone }) {
    const { opening, shown } = step.state;
    if (opening?.id !== id) return;
    endOpening(step);
    const { before, isRemembered } = opening;
    // What was shown before stays, and not a part of a history.
    const show = isRemembered ? showSession : showAndRemember;
    if (shown && shown !== before) show(step, before);
    // The next start does not try it again. It tries a session again that failed for another reason.
    if (isRemembered && isGone) step.effects.push({ type: 'remember', session: null });
  },

  session_lost(step, { session, readOnly }) {
    const { opening, shown } = step.state;
    if (opening?.before === session) step.state.opening = { ...opening, before: readOnly };
    if (shown === session) showSession(step, readOnly);
  },

  session_closed(step, { sessionId }) {
    if (step.state.shown?.sessionId === sessionId) showAndRemember(step, null);
  },

  session_deleted(step, { sessionId }) {
    step.state.listed = step.state.listed.filter((info) => info.sessionId !== sessionId);
    step.state.saved = step.state.saved.filter((info) => info.sessionId !== sessionId);
    step.state.firstLines = new Map([...step.state.firstLines].filter(([id]) => id !== sessionId));
    if (step.state.shown?.sessionId === sessionId) showAndRemember(step, null);
  },

  // --- Questions -----------------------------------------------------------------------------------------------------

  asked({ state }, { question }) {
    state.questions = [...state.questions, question];
  },

  settled({ state }, { id }) {
    state.questions = state.questions.filter((question) => question.id !== id);
  },

  login({ state }, { login }) {
    state.login = login;
  },

  // --- The draft and the problem ---------------------------------------------------------------------------------------

  cancel_ignored({ state }, { sessionId }) {
    if (sessionId === state.shown?.sessionId) state.ignoresCancel = true;
  },

  draft({ state }, { text }) {
    state.draft = text;
  },

  put_back({ state }, { text }) {
    // What the user wrote meanwhile stays.
    if (state.draft === '') state.draft = text;
  },

  action({ state }) {
    // How the agent ended stays until it runs.
    if (!isDown(state)) state.problem = null;
  },

  failed({ state, effects }, { problem, forLog, isTold }) {
    // Another opening took its place, or the user gave it up.
    if (['panel.superseded', 'panel.cancelled'].includes(problem.code)) return;
    // How the agent ended says more than the calls that ended with it.
    const isAboutEnd = ['connection.closed', 'agent.exit'].includes(problem.code);
    if (isAboutEnd && state.problem && isDown(state)) return;
    // Nor does a refusal hide it.
    const isRefusal = problem.code === 'panel.refused' && state.problem !== null && isDown(state);
    // The agent is being started again already.
    const known = isAboutEnd && state.phase === 'reconnecting' && { remedy: null };
    if (!isTold && !isRefusal) state.problem = { ...problem, ...known };
    effects.push({ type: 'report', problem: { ...forLog, ...known } });
  },

  dismissed({ state }) {
    state.problem = null;
    state.ignoresCancel = false;
  },
};

function isDown({ phase }: MachineState): boolean {
  return phase !== 'open';
}

function isEnd(problem: MachineState['problem']): problem is AgentEnd {
  return problem !== null && 'consequence' in problem;
}

function showEnd(step: Step, end: AgentEnd): void {
  step.state.problem = end;
  const shown = shownProblem(end);
  if (shown) step.effects.push({ type: 'report', problem: shown });
}

/** Forgets what belongs to the run. The session that was shown stays readable. */
function leaveRun(step: Step): void {
  const { state } = step;
  state.run++;
  abandonOpening(step);
  for (const { id } of state.questions) step.effects.push({ type: 'withdraw', id });
  state.questions = [];
}

function abandonOpening(step: Step): void {
  if (step.state.opening) step.effects.push({ type: 'abandon', id: step.state.opening.id });
  step.state.opening = null;
}

function endOpening({ state }: Step): void {
  state.opening = null;
  state.loadedUpdates = null;
}

function showSession(step: Step, session: ShownSession | null): void {
  step.state.shown = session;
  step.state.ignoresCancel = false;
  step.effects.push({ type: 'follow', session });
}

function showAndRemember(step: Step, session: ShownSession | null): void {
  if (session === step.state.shown) return;
  showSession(step, session);
  step.effects.push({ type: 'remember', session });
}
