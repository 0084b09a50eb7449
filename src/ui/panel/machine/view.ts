import type { PanelProblem, PanelQuestion, PanelSession } from '../state.ts';
import type { SentState } from '../whole-state.ts';
import type { AgentEnd, MachineState } from './state.ts';

/** What the pages show of a state. */
export function sentState(state: MachineState, actions: readonly string[]): SentState {
  const { phase, nextAttemptAt, agent, features, authMethods, login, shown, loadedUpdates } = state;
  const sessionId = shown?.sessionId ?? null;
  return {
    phase,
    nextAttemptAt,
    agent,
    features,
    authMethods,
    login,
    sessions: sessionsOf(state),
    sessionId,
    cwd: shown?.cwd ?? null,
    readOnly: shown?.readOnly ?? null,
    loading: loadedUpdates === null ? null : { updates: loadedUpdates },
    questions: questionsOf(state, sessionId),
    waiting: waitingBeside(state, sessionId),
    draft: state.draft,
    problem: shownProblem(state.problem) ?? (state.ignoresCancel ? ignoredCancel : null),
    actions,
    agents: state.agents,
  };
}

/**
 * The agent's list with the open sessions that are not in it, and then the sessions that only the transcripts have. Each has
 * a title, or `null`.
 */
function sessionsOf({ listed, saved, open, firstLines }: MachineState): readonly PanelSession[] {
  const known = new Set(listed.map(({ sessionId }) => sessionId));
  const added = open
    .filter(({ sessionId, isClosed }) => !known.has(sessionId) && !isClosed)
    .map(({ isClosed: _, firstLine: __, isIdle: ___, ...info }) => info)
    .reverse();
  const titles = new Map(open.map(({ sessionId, title }) => [sessionId, title]));
  const savedTitles = new Map(saved.map(({ sessionId, title }) => [sessionId, title]));
  const ofAgent = [...added, ...listed].map((info) => {
    const { sessionId } = info;
    const own = titles.get(sessionId) || info.title || firstLines.get(sessionId);
    return { ...info, title: own ?? savedTitles.get(sessionId) ?? null };
  });
  const shown = new Set(ofAgent.map(({ sessionId }) => sessionId));
  const onlySaved = saved.filter(({ sessionId }) => !shown.has(sessionId));
  return [...ofAgent, ...onlySaved.map((info) => ({ ...info, isSavedOnly: true as const }))];
}

/** The questions of a session, and those that belong to no session. */
function questionsOf({ questions }: MachineState, sessionId: string | null): readonly PanelQuestion[] {
  return questions.filter((question) => [null, sessionId].includes(ownerOf(question)));
}

/** How many questions the other sessions have. */
function waitingBeside({ questions }: MachineState, sessionId: string | null): SentState['waiting'] {
  const counts = new Map<string, number>();
  for (const question of questions) {
    const owner = ownerOf(question);
    if (owner !== null && owner !== sessionId) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return [...counts].map(([id, count]) => ({ sessionId: id, count }));
}

function ownerOf(question: PanelQuestion): string | null {
  return question.kind === 'login' ? null : question.sessionId;
}

const consequences: { readonly [K in AgentEnd['consequence']]: string } = {
  restarts: 'The agent is being started again. What it was working on is not sent again.',
  restarted: 'The agent was started again. What it was working on is not sent again.',
  over: 'Start it again.',
};

const ignoredCancel: PanelProblem = {
  message:
    'The agent goes on although you cancelled. Wait for the end of the turn, or start the agent again.',
  detail: null,
  code: 'session.cancel_ignored',
  remedy: 'restart',
};

export function shownProblem(problem: MachineState['problem']): PanelProblem | null {
  if (!problem || !('consequence' in problem)) return problem;
  const { reason, detail, code, consequence } = problem;
  const message = `${reason} ${consequences[consequence]}`;
  return { message, detail, code, remedy: consequence === 'over' ? 'restart' : null };
}
