import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  initialState,
  type MachineState,
  type PanelEffect,
  type PanelEvent,
  type ShownSession,
} from '../../src/ui/panel/machine/state.ts';
import { transition } from '../../src/ui/panel/machine/transitions.ts';
import { sentState } from '../../src/ui/panel/machine/view.ts';
import type { PanelQuestion } from '../../src/ui/panel/state.ts';
import { pageAndHostRecover, stopPanelClock } from '../support/panel-play/play.ts';
import { runs } from '../support/runs.ts';

test('[reliability: panel-messages] page and host are equal again, and each action is done once, whatever the channel does', async () => {
  stopPanelClock();
  await fc.assert(pageAndHostRecover, { numRuns: 8 });
});

const cases = { numRuns: runs(150) };

/** Checks a law for any steps, or for any steps before something and after it. */
function holds(check: (before: readonly Step[], after: readonly Step[]) => void): void {
  fc.assert(fc.property(steps, steps, check), cases);
}

/** An event before its session, question or opening is chosen: they have small numbers. */
interface Step {
  readonly do: PanelEvent['type'] | 'stale described';
  readonly which: number;
  readonly flag: boolean;
}

const kinds = [
  ...(['start', 'starting', 'start_failed', 'no_agent', 'described', 'agent_lost', 'agent_ended'] as const),
  ...([
    'listed',
    'saved',
    'sessions_changed',
    'session_closed',
    'session_deleted',
    'stale described',
  ] as const),
  ...([
    'open',
    'open',
    'progress',
    'progress',
    'opened',
    'open_failed',
    'open_failed',
    'agent_changed',
  ] as const),
  ...(['asked', 'asked', 'settled', 'settled', 'session_lost'] as const),
  ...(['draft', 'put_back', 'action', 'failed', 'dismissed', 'cancel_ignored'] as const),
];

const steps = fc.array(fc.record({ do: fc.constantFrom(...kinds), which: fc.nat(3), flag: fc.boolean() }), {
  maxLength: 40,
  size: 'max',
});

const cwd = '/project';
const problems = ['panel.refused', 'panel.superseded', 'connection.closed', 'remote'] as const;
const end = { reason: 'The agent exited.', detail: null, code: 'agent.exit' };

/** Runs the state machine, and keeps what its effects did. */
class Run {
  state: MachineState = initialState;
  readonly effects: PanelEffect[] = [];
  readonly asked: string[] = [];
  /** The questions that got their outcome, or were withdrawn. */
  readonly settled: string[] = [];
  readonly openings: number[] = [];
  memory: ShownSession | null = null;
  #openings = 0;

  take(step: Step): PanelEvent {
    const event = this.eventOf(step);
    this.dispatch(event);
    return event;
  }

  dispatch(event: PanelEvent): void {
    const isOpen = event.type === 'settled' && this.state.questions.some(({ id }) => id === event.id);
    if (isOpen) this.settled.push(event.id);
    const { state, effects } = transition(this.state, event);
    this.state = state;
    for (const effect of effects) {
      if (effect.type === 'withdraw') this.settled.push(effect.id);
      if (effect.type === 'remember') this.memory = effect.session;
    }
    this.effects.push(...effects);
  }

  eventOf({ do: type, which, flag }: Step): PanelEvent {
    const { run } = this.state;
    const id = this.asked[which] ?? 'none';
    const session: ShownSession = { sessionId: `s${which}`, cwd };
    const opening = this.state.opening?.id ?? 0;
    const problem = { message: 'Wrong.', detail: null, code: problems[which] ?? 'remote', remedy: null };
    const description = { nextAttemptAt: null, agent: null, features: {}, authMethods: [] };
    switch (type) {
      case 'starting':
        return { type, run, isRestoring: flag };
      case 'start_failed':
        return { type, run, problem, forLog: problem };
      case 'described':
        return { type, run, phase: flag ? 'open' : 'reconnecting', ...description };
      case 'stale described':
        return { type: 'described', run: run - 1, phase: 'open', ...description };
      case 'no_agent':
        return { type, run };
      case 'agents_listed':
        return { type, agents: [] };
      case 'agent_lost':
      case 'agent_ended':
        return { type, run, end };
      case 'listed':
        return { type, run, sessions: [session] };
      case 'saved':
        return { type, sessions: flag ? [session] : [] };
      case 'sessions_changed':
        return { type, open: [{ ...session, isClosed: flag, isIdle: flag, firstLine: flag ? 'Go.' : null }] };
      case 'open': {
        this.openings.push(++this.#openings);
        return {
          type,
          id: this.#openings,
          sessionId: which === 0 ? null : `s${which}`,
          isRemembered: flag,
        };
      }
      case 'progress':
        // What belongs to an opening that was replaced can come later.
        return { type, id: flag ? opening : which, session: this.#sessionOf(session), updates: which };
      case 'opened':
        return { type, id: flag ? opening : which, session: this.#sessionOf(session) };
      case 'open_failed':
        return { type, id: which === 0 ? 1 : opening, isGone: flag };
      case 'cancel_ignored':
      case 'session_closed':
      case 'session_deleted':
        return { type, sessionId: `s${which}` };
      case 'session_lost':
        return { type, session: this.state.shown ?? session, readOnly: { ...session, readOnly: 'Lost.' } };
      case 'asked': {
        const next = `q${this.asked.length + 1}`;
        this.asked.push(next);
        return { type, question: questionOf(next, flag ? `s${which}` : null) };
      }
      case 'settled':
        return { type, id };
      case 'draft':
      case 'put_back':
        return { type, text: flag ? '' : `text ${which}` };
      case 'failed':
        return { type, problem, forLog: problem, isTold: flag };
      case 'login':
        return { type, login: flag ? { name: `login ${which}` } : null };
      default:
        return { type };
    }
  }

  /** The session that the opening names. */
  #sessionOf(session: ShownSession): ShownSession {
    return { ...session, sessionId: this.state.opening?.sessionId ?? session.sessionId };
  }
}

function questionOf(id: string, sessionId: string | null): PanelQuestion {
  if (sessionId === null) return { kind: 'login', id, methods: [], reason: 'Log in.' };
  return { kind: 'form', id, sessionId, message: 'Which?', fields: [] };
}

function run(...all: readonly (readonly Step[])[]): Run {
  const made = new Run();
  for (const step of all.flat()) made.take(step);
  return made;
}

describe("the state machine of a panel's host", () => {
  test('settles each question once, also those that come after the end', () => {
    holds((before, after) => {
      const made = run(before);
      const open = made.state.questions.map(({ id }) => id);
      expect([...made.settled, ...open].sort()).toEqual([...made.asked].sort());
      made.dispatch({ type: 'close' });
      for (const step of after) made.take(step);
      expect([...made.settled].sort()).toEqual([...made.asked].sort());
    });
  });

  test('a start withdraws the questions of the run before', () => {
    holds((before) => {
      const made = run(before);
      made.dispatch({ type: 'start' });
      expect(made.state.questions).toEqual([]);
      expect([...made.settled].sort()).toEqual([...made.asked].sort());
    });
  });

  test('gives up each opening that another one or a start replaces, once', () => {
    holds((random) => {
      const made = new Run();
      const replaced: number[] = [];
      for (const step of random) {
        const { opening } = made.state;
        const event = made.take(step);
        if (opening && (event.type === 'open' || event.type === 'start')) replaced.push(opening.id);
      }
      const abandoned = made.effects.flatMap((effect) => (effect.type === 'abandon' ? [effect.id] : []));
      expect(abandoned).toEqual(replaced);
    });
  });

  test('shows another session only for the opening that runs, and the one before when it fails', () => {
    holds((random) => {
      const made = new Run();
      for (const step of random) {
        const { shown, opening } = made.state;
        const event = made.take(step);
        const isCurrent = 'id' in event && event.id === opening?.id;
        // What an opening shows that was given up is a part of a history.
        if (event.type === 'open') expect(made.state.opening?.before).toBe(opening ? opening.before : shown);
        if ((event.type === 'progress' || event.type === 'opened') && isCurrent) {
          expect(made.state.shown).toBe(event.session);
        } else if (event.type === 'open_failed' && isCurrent) {
          expect(made.state.shown).toBe(shown && (opening?.before ?? null));
          expect(made.state).toMatchObject({ opening: null, loadedUpdates: null });
        } else if (event.type === 'session_lost') {
          expect(made.state.shown).toBe(shown && event.readOnly);
        } else if (!['session_closed', 'session_deleted', 'agent_changed'].includes(event.type)) {
          expect(made.state.shown).toBe(shown);
        }
        const followed = made.effects.findLast(({ type }) => type === 'follow');
        expect(made.state.shown).toBe(followed?.type === 'follow' ? followed.session : null);
      }
    });
  });

  test('forgets a session of the memory only if the agent does not have it', () => {
    holds((random) => {
      const made = new Run();
      for (const step of random) {
        const { memory } = made;
        const { opening } = made.state;
        const event = made.take(step);
        if (event.type !== 'open_failed' || event.id !== opening?.id || !opening.isRemembered) continue;
        expect(made.memory).toBe(event.isGone ? null : memory);
      }
    });
  });

  test('keeps what the user wrote when a refused prompt is put back', () => {
    holds((random) => {
      const made = new Run();
      for (const step of random) {
        const { draft } = made.state;
        const event = made.take(step);
        if (event.type === 'put_back') expect(made.state.draft).toBe(draft || event.text);
        else if (event.type !== 'draft') expect(made.state.draft).toBe(draft);
      }
    });
  });

  test('changes nothing for a run that was replaced, and nothing after the end', () => {
    holds((before, after) => {
      const made = run(before);
      const { state } = made;
      made.take({ do: 'stale described', which: 0, flag: true });
      expect(made.state).toEqual(state);
      made.dispatch({ type: 'close' });
      const closed = made.state;
      expect(closed).toMatchObject({ phase: 'closed', opening: null, loadedUpdates: null, questions: [] });
      for (const step of after) made.take(step);
      expect(made.state).toEqual(closed);
    });
  });

  test('shows each question once: in the session that is shown, or counted', () => {
    holds((random) => {
      const { state } = run(random);
      const { questions, waiting, sessions } = sentState(state, []);
      const counted = waiting.reduce((sum, { count }) => sum + count, questions.length);
      expect(counted).toBe(state.questions.length);
      for (const question of questions) {
        if (question.kind !== 'login') expect(question.sessionId).toBe(state.shown?.sessionId ?? null);
      }
      expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(sessions.length);
    });
  });

  test('keeps how the agent ended until it runs, and shows no call that ended with it', () => {
    holds((random) => {
      const made = run(random);
      made.dispatch({ type: 'agent_ended', run: made.state.run, end });
      const { problem } = sentState(made.state, []);
      expect(problem).toMatchObject({ message: 'The agent exited. Start it again.', remedy: 'restart' });
      made.dispatch({ type: 'action' });
      const closed = { message: 'Closed.', detail: null, code: 'connection.closed', remedy: null };
      made.dispatch({ type: 'failed', problem: closed, forLog: closed, isTold: false });
      expect(sentState(made.state, []).problem).toEqual(problem);
    });
  });
});
